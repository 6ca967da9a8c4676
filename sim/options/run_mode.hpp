#pragma once

#include <optional>

namespace texelscope::sim {

/// How a simulation is run, and what it is asked for. Counts do not depend on `jump`; of
/// `miss_kinds`, only the kinds of misses depend.
struct RunMode {
    bool timed = false;     ///< in the order of time, with cycles; else untimed, counts alone
    bool miss_kinds = true; ///< tell compulsory, capacity and conflict misses apart (costs time)
    bool jump = true;       ///< jump over repetition in a launch; the result is the same
    /// Timed mode: simulate only the first so many cores, with their part of the bandwidth that all
    /// cores share. nullopt: all cores.
    std::optional<int> simulated_cores = {};
    /// Timed mode: everything that a launch reads and writes is in L2 from the launch before, where
    /// all of it fits (warm_level()).
    bool warm_l2 = false;

    bool operator==(const RunMode&) const = default;
};

} // namespace texelscope::sim
