#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <optional>

namespace texelscope::sim {

enum class MissKind : std::uint8_t {
    none,       ///< a hit
    compulsory, ///< first touch of the line (sector) by this cache
    capacity,   ///< misses also in a fully associative LRU cache of the same capacity
    conflict,   ///< the rest
};

struct LookupOutcome {
    MissKind miss = MissKind::none;
    /// Address of the first byte of the line that was thrown out, if one was.
    std::optional<std::int64_t> evicted;

    [[nodiscard]] bool hit() const { return miss == MissKind::none; }
};

} // namespace texelscope::sim
