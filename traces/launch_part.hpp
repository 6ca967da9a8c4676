#pragma once

#include "traces/launch.hpp"

#include <cstdint>

namespace texelscope::traces {

/// Turns of the longest loop of a launch, wherever it is; the first of several. 1 without loops.
[[nodiscard]] std::int64_t longest_loop(const Launch& launch);

/// The launch with that many iterations of its longest loop.
[[nodiscard]] Launch with_longest_loop(Launch launch, std::int64_t iterations);

/// The launch with its first groups in the order of their numbers, at least so many: whole rows, and whole planes, where
/// there are several.
[[nodiscard]] Launch with_first_groups(Launch launch, std::int64_t count);

} // namespace texelscope::traces
