#pragma once

#include "base/layers.hpp"
#include "base/stop.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::sim {

struct SimulationOptions;

/// Histogram of reuse distances. The distance of a lookup is the number of distinct other lines
/// that were looked up since the last lookup of its line: the exact LRU stack distance of Mattson
/// et al. ("Evaluation techniques for storage hierarchies", 1970).
struct ReuseDistanceHistogram {
    /// counts[d] lookups have distance d. Has all distances that occur; or, where distances were
    /// counted up to a depth, exactly those below the depth.
    std::vector<std::int64_t> counts;
    std::int64_t deeper = 0;        ///< lookups at a distance of the depth or more
    std::int64_t first_touches = 0; ///< lookups of a line that was not looked up before

    bool operator==(const ReuseDistanceHistogram&) const = default;

    /// Adds a histogram that was counted up to the same depth, or both without a depth.
    ReuseDistanceHistogram& operator+=(const ReuseDistanceHistogram& other);

    [[nodiscard]] std::int64_t lookups() const;
    /// Misses of a fully associative LRU cache of that many lines: first touches, and distances >=
    /// lines. Throws bad_input where `lines` is greater than the depth and some lookups are deeper:
    /// then the number is not known.
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
