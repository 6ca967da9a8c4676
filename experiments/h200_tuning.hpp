#pragma once

#include "experiments/stored_result.hpp"

#include <vector>

namespace texelscope {

/// Kernels measured on an NVIDIA H200, every one that ran, with its output right; the program holds them.
struct H200Tuning {
    /// experiments/measurements/h200-tuning.csv.zst, 45 operators and shapes, on which the profile's model.* were identified.
    std::vector<StoredResult> identified_on;
    /// Of experiments/measurements/h200-tuning-large.csv.zst, the 39 operators and shapes that are not among those.
    std::vector<StoredResult> others;
};
[[nodiscard]] H200Tuning h200_tuning();

} // namespace texelscope
