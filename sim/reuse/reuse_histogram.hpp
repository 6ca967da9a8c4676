#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::sim {

/// How often a line was looked up again after that many distinct other lines: counts[d] for distance d, the exact LRU
/// stack distance of Mattson et al. ("Evaluation techniques for storage hierarchies", 1970).
struct ReuseDistanceHistogram {
    /// All distances that occur; where distances were counted up to a depth, exactly those below it.
    std::vector<std::int64_t> counts;
    std::int64_t deeper = 0; ///< looked up again at the depth or beyond
    std::int64_t first_touches = 0;

    bool operator==(const ReuseDistanceHistogram&) const = default;

    /// Of histograms that were counted up to the same depth, or all without one.
    ReuseDistanceHistogram& operator+=(const ReuseDistanceHistogram& other);

    [[nodiscard]] std::int64_t lookups() const;
    /// Misses of a fully associative LRU cache of that many lines: first touches and distances >= lines. Throws bad_input
    /// for more lines than the depth where something is deeper: that is not known.
    [[nodiscard]] std::int64_t misses(std::int64_t lines) const;
};

} // namespace texelscope::sim
