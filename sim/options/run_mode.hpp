#pragma once

#include <optional>

namespace texelscope::sim {

/// How a simulation is run, and what it is asked for. Counts do not depend on `jump`, nor on
/// `miss_kinds` but for the kinds.
struct RunMode {
    bool timed = false;
    bool miss_kinds = true; ///< tell compulsory, capacity and conflict misses apart (costs time)
    bool jump = true;       ///< pass over repetition in a launch; the result is the same
    /// Timed mode: of the cores, the first so many, with their share of the bandwidth that all
    /// share. Nothing: all.
    std::optional<int> simulated_cores = {};
    /// What a launch reads and writes is in L2 from the launch before, where all of it fits (timed
    /// mode).
    bool warm_l2 = false;

    bool operator==(const RunMode&) const = default;
};

} // namespace texelscope::sim
