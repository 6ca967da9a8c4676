#pragma once

#include "base/stop.hpp"
#include "sim/options/options.hpp"
#include "sim/reuse/reuse_histogram.hpp"
#include "traces/trace_source.hpp"

#include <optional>
#include <vector>

namespace texelscope::sim {

/// Reuse distances of the L1 lookups of a launch, in distinct L1 lines.
struct ReuseDistances {
    /// Of all lookups, with the lines of all images on one stack: what one cache for everything sees.
    ReuseDistanceHistogram together;
    /// Of the lookups of each image, on a stack with its lines alone: how it would fare in a cache of its own.
    std::vector<ReuseDistanceHistogram> images;

    bool operator==(const ReuseDistances&) const = default;
    ReuseDistances& operator+=(const ReuseDistances& other);
};

/// Walks through a launch, in the order of the untimed simulation but without simulating a cache; each core has stacks of
/// its own. With a depth, in [1, 512], distances from there on are counted together, which is faster and takes less
/// memory. Throws bad_input where options or depth are invalid or the dispatch is dynamic, and Interrupted.
[[nodiscard]] std::vector<ReuseDistances> reuse_distances_of_cores(const TraceSource& source,
                                                                   const SimulationOptions& options,
                                                                   std::optional<int> depth = {},
                                                                   const StopToken& stop = {});

/// The same, summed over the cores.
[[nodiscard]] ReuseDistances reuse_distances(const TraceSource& source, const SimulationOptions& options,
                                             std::optional<int> depth = {}, const StopToken& stop = {});

} // namespace texelscope::sim
