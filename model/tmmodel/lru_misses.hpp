#pragma once

#include "model/walks/walk_lines.hpp"
#include "sim/cache/cache_geometry.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::model {

/// Misses of walks in several LRU caches that differ only in their number of ways: result[walk][i]
/// is for ways[i] (ascending, positive). Each walk starts from an empty cache.
///
/// All caches are served by one pass over the stack distances (Mattson et al. 1970): a lookup
/// misses if at least as many distinct lines of its set as there are ways were used since the
/// line's last use. With sectors, a sector hits if its line has not been evicted since the sector
/// was last used, so that the largest of the line's stack distances since then decides. `sectors`
/// is the number of sectors of a line, at most 64, and 1 where lines have none.
[[nodiscard]] std::vector<std::vector<std::int64_t>> lru_misses(std::span<const WalkLines> walks,
                                                                int sectors, std::int64_t sets,
                                                                SetIndex index,
                                                                std::span<const std::int64_t> ways);

/// Misses of a walk in a cache of any geometry, from an empty cache on, found with the simulator's
/// own tag arrays.
[[nodiscard]] std::int64_t cache_misses(const WalkLines& walk, const CacheGeometry& geometry);

} // namespace texelscope::model
