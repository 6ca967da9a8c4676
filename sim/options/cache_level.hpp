#pragma once

#include "base/units.hpp"
#include "sim/cache/cache_geometry.hpp"

#include <optional>
#include <string>

namespace texelscope::sim {

/// One level of the caches between a core and memory.
struct CacheLevel {
    std::string name = {}; ///< "L1", "L2", ...
    CacheGeometry geometry = {};
    Cycles latency{
        0}; ///< from the issue of a read to its data, where this is the first level that has them
    double bytes_per_cycle =
        64; ///< to all that ask it together; of L1 the texture unit's rate of lookups says as much
    /// Banks of each such cache, among which its lines are dealt out in turn, with an equal share
    /// of its bandwidth each. nullopt: one for all. Of L1 this says nothing.
    std::optional<int> banks = {};
    bool shared = false; ///< by all cores; else each core has one of its own

    bool operator==(const CacheLevel&) const = default;

    /// A level of no bytes is not there; what else is said of it counts for nothing.
    [[nodiscard]] bool is_there() const { return geometry.capacity.value > 0; }
};

} // namespace texelscope::sim
