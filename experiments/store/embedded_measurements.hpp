#pragma once

#include "base/layers.hpp"

#include <string_view>

namespace texelscope::experiments {

// Files of experiments/measurements that experiments show beside what is simulated: a program needs no file beside it.

/// h200-local-blocks.jsonl: matrix products with and without blocks in local memory on an NVIDIA H200, as `run --json`
/// printed them.
[[nodiscard]] std::string_view h200_local_blocks();

/// h200-tuning.csv.zst and h200-tuning-large.csv.zst, packed as they are; h200_tuning() has what is in them.
[[nodiscard]] std::string_view h200_tuning_packed();
[[nodiscard]] std::string_view h200_tuning_large_packed();

/// h100-tuning.csv.zst and h100-tuning-large.csv.zst, the same of h100_tuning().
[[nodiscard]] std::string_view h100_tuning_packed();
[[nodiscard]] std::string_view h100_tuning_large_packed();

} // namespace texelscope::experiments
