#pragma once

#include <string_view>

namespace texelscope {

/// experiments/measurements/h200-local-blocks.jsonl: matrix products with and without blocks in local memory on an NVIDIA
/// H200, as `run --json` printed them.
[[nodiscard]] std::string_view h200_local_blocks();

} // namespace texelscope
