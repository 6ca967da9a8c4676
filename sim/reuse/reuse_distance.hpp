#pragma once

#include "base/layers.hpp"
#include "base/stop.hpp"
#include "sim/options/options.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// How often a line was looked up again after that many distinct other lines: counts[d] for
/// distance d, the exact LRU stack distance of Mattson et al. ("Evaluation techniques for storage
/// hierarchies", 1970).
struct ReuseDistanceHistogram {
    /// All distances that occur; where distances were counted up to a depth, exactly those below
    /// it.
    std::vector<std::int64_t> counts;
    std::int64_t deeper = 0; ///< looked up again at the depth or beyond
    std::int64_t first_touches = 0;

    bool operator==(const ReuseDistanceHistogram&) const = default;

    /// Of histograms that were counted up to the same depth, or all without one.
    ReuseDistanceHistogram& operator+=(const ReuseDistanceHistogram& other);

    [[nodiscard]] std::int64_t lookups() const;
    /// Misses of a fully associative LRU cache of that many lines: first touches and distances >=
    /// lines. Throws bad_input for more lines than the depth where something is deeper: that is not
    /// known.
    [[nodiscard]] std::int64_t misses(std::int64_t lines) const;
};

/// Reuse distances of the L1 lookups of a launch, in distinct L1 lines.
struct ReuseDistances {
    /// Of all lookups, with the lines of all images on one stack: what one cache for everything
    /// sees.
    ReuseDistanceHistogram together;
    /// Of the lookups of each image, on a stack with its lines alone: how it would fare in a cache
    /// of its own.
    std::vector<ReuseDistanceHistogram> images;

    bool operator==(const ReuseDistances&) const = default;
    ReuseDistances& operator+=(const ReuseDistances& other);
};

/// Walks through a launch, in the order of the untimed simulation but without simulating a cache;
/// each core has stacks of its own, and the sum over the cores is given. With a depth, in [1, 512],
/// distances from there on are counted together, which is faster and takes less memory. Throws
/// bad_input where options or depth are invalid or the dispatch is dynamic, and Interrupted.
[[nodiscard]] ReuseDistances reuse_distances(const TraceSource& source,
                                             const SimulationOptions& options,
                                             std::optional<int> depth = {},
                                             const StopToken& stop = {});

} // namespace texelscope::sim
