#pragma once

#include "sim/reuse/reuse_distance.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// The exact number of misses of fully associative LRU caches of every capacity: sums over a reuse
/// distance histogram (Mattson et al. 1970). The curve falls in steps, and only these are stored.
struct MissRatioCurve {
    struct Point {
        std::int64_t lines = 0;  ///< capacity
        std::int64_t misses = 0; ///< from this capacity on, up to the next point

        bool operator==(const Point&) const = default;
    };
    std::int64_t lookups = 0;
    std::vector<Point> points; ///< capacities ascending from 0, where everything misses
    /// Largest capacity for which the curve is known, where distances were counted up to a depth.
    std::optional<std::int64_t> limit;

    bool operator==(const MissRatioCurve&) const = default;

    /// Throws bad_input for a negative capacity or one beyond the limit.
    [[nodiscard]] std::int64_t misses(std::int64_t lines) const;
    /// misses(lines) / lookups; 0 without lookups.
    [[nodiscard]] double miss_ratio(std::int64_t lines) const;
};

[[nodiscard]] MissRatioCurve miss_ratio_curve(const ReuseDistanceHistogram& histogram);

} // namespace texelscope::sim
