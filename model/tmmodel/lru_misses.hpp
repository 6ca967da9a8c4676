#pragma once

#include "model/walks/walk_lines.hpp"
#include "sim/cache/cache_geometry.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::model {

/// Misses of walks, each from an empty cache, in LRU caches that differ in their ways alone:
/// result[walk][i] for ways[i] (ascending, positive). A lookup misses where at least as many
/// distinct lines of its set were used since as there are ways, so one pass over the stack
/// distances serves all of them (Mattson et al. 1970). With sectors, a sector is there if its line
/// has not left since the sector was last used: the largest of the line's distances since then
/// decides. `sectors`: of a line, 1 where it has none, at most 64.
[[nodiscard]] std::vector<std::vector<std::int64_t>> lru_misses(std::span<const WalkLines> walks,
                                                                int sectors, std::int64_t sets,
                                                                SetIndex index,
                                                                std::span<const std::int64_t> ways);

/// Misses of a walk, from an empty cache, in any one cache; the simulator's own tags do the work.
[[nodiscard]] std::int64_t cache_misses(const WalkLines& walk, const CacheGeometry& geometry);

} // namespace texelscope::model
