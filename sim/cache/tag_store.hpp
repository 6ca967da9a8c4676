#pragma once

#include "sim/cache/cache_geometry.hpp"
#include "sim/cache/lru_sets.hpp"
#include "sim/cache/lru_stack.hpp"
#include "sim/cache/set_associative.hpp"

#include <cstdint>
#include <variant>

namespace texelscope::sim {

/// What a cache holds. LRU has two forms of its own, for narrow sets and for one wide set; everything else is general.
/// All have access, contains, access_all, save, restore, is_shifted, shift and snapshot_size, described at LruSets.
using TagStore = std::variant<LruSets, LruStack, SetAssociative>;
using TagSnapshot = std::variant<LruSets::Snapshot, LruStack::Snapshot, SetAssociative::Snapshot>;

/// Empty, for line numbers below `line_count`.
[[nodiscard]] TagStore make_tag_store(const CacheGeometry& geometry, std::int64_t line_count);

} // namespace texelscope::sim
