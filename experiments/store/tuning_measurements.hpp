#pragma once

#include "experiments/store/stored_result.hpp"

#include <vector>

namespace texelscope::experiments {

/// Kernels measured on a device, every one that ran, with its output right; the program holds them.
struct TuningMeasurements {
    /// Of the 45 operators and shapes on which, on the H200, the profiles' model.* were identified.
    std::vector<StoredResult> identified_on;
    /// Of 39 larger operators and shapes, none of which is among those.
    std::vector<StoredResult> others;
};
/// On an NVIDIA H200: experiments/measurements/h200-tuning.csv.zst and h200-tuning-large.csv.zst.
[[nodiscard]] TuningMeasurements h200_tuning();
/// On an NVIDIA H100: h100-tuning.csv.zst and h100-tuning-large.csv.zst there.
[[nodiscard]] TuningMeasurements h100_tuning();

} // namespace texelscope::experiments
