#pragma once

#include "experiments/stored_result.hpp"

#include <vector>

namespace texelscope {

/// Kernels measured on an NVIDIA H200, every one that ran, with its output right: experiments/measurements/h200-tuning.csv.zst and
/// h200-tuning-large.csv.zst, which the program holds. 84 operators and shapes, 49 to 200 or so configurations each.
[[nodiscard]] std::vector<StoredResult> h200_tuning();

} // namespace texelscope
