#pragma once

#include "sim/options/options.hpp"
#include "sim/reuse/reuse_histogram.hpp"
#include "sim/simulate.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <limits>

namespace texelscope::experiments {

/// How much of a launch a reuse profile looks at. A whole trace takes as long as it has lookups, which is what makes a
/// model of this kind slow (TMModel, section 6.5, table 5); the defaults look at the start of a launch alone. What is used
/// again only later than that counts as touched once. What is walked takes 4 bytes a lookup, for the turns at the L2.
struct ReuseExtent {
    std::int64_t accesses = 4096;      ///< of the warps of each core that is walked, at most
    std::int64_t occupancy_groups = 1; ///< of each of these cores (batch schedule; else the accesses alone bound)
    int cores = 4;                     ///< that are walked, at most

    [[nodiscard]] static ReuseExtent whole()
    {
        return {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max(),
                std::numeric_limits<int>::max()};
    }
};

/// Stack distances of a launch, for the L1 of a core and for the L2 behind all of them.
struct ReuseProfile {
    ReuseDistanceHistogram l1; ///< of the first core, in L1 lines; as long as that core reads anything
    /// Of all lookups of the cores that were walked, which take turns access by access (one that touches no memory takes
    /// none), in lines of the L2 (of the L1, where those are longer). What the L1 would answer is in it too. Empty where there is no L2.
    ReuseDistanceHistogram l2;
    std::int64_t accesses = 0; ///< of the first core's warps that were walked
    int cores = 0;             ///< walked
};

/// Walks through a launch in the order of the untimed simulation: the resident warps of a core take turns. Nothing is
/// simulated. Throws bad_input where the options are invalid or the dispatch is dynamic, and Interrupted.
[[nodiscard]] ReuseProfile reuse_profile(const TraceSource& source, const SimulationOptions& options,
                                         const ReuseExtent& extent = {}, const StopToken& stop = {});

} // namespace texelscope::experiments
