#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::model {

// The order in which the work-items of a group come to a shared counter (Romou, listing 3): for
// each by linear local id, how many came before it.

/// The largest number of work-items, a power of two, of which each aligned run comes to the counter
/// in one go: the numbers of a run are a block in which nobody else has part.
[[nodiscard]] int longest_runs(const std::vector<std::int32_t>& order);

/// How many warps of `warp` work-items take turns at the counter, the median over warps of the
/// numbers from a warp's first to its last over its size: 1 where each comes in one go; 3 was seen
/// on the Adreno 640, with warps of 128, hence 384 lanes that run together (Romou, figure 8). 0
/// where there is no whole warp.
[[nodiscard]] int warps_together(const std::vector<std::int32_t>& order, std::size_t warp);

} // namespace texelscope::model
