#pragma once

#include "sim/memory/memory_hierarchy.hpp"
#include "tests/sim/random_case.hpp"
#include "tests/sim/reference_core.hpp"

#include <cstdint>
#include <deque>
#include <vector>

// The timed mode once more, made to be obviously right: time goes on by quarters of a cycle, and in
// each of them everything that waits is asked whether it still has to. Nothing is computed ahead: a
// request stands in a queue until the port takes it, a lookup leaves the FIFO when it is at its
// head and its data are there. Shares the caches (an observed MemoryHierarchy, which the untimed
// oracle checks) and the option and counter structs with the real one, and nothing else. Latencies,
// service times and arithmetic must be multiples of a quarter cycle, service times not below it.

namespace texelscope::test {
using namespace sim;

struct ReferenceIssue {
    std::int64_t cycle = 0;
    int core = 0;
    std::int64_t group = 0;
    std::int32_t warp = 0;
    std::uint32_t step = 0;
};

struct ReferenceCore {
    std::int64_t warps = 0;
    std::int64_t groups = 0;
    std::int64_t occupancy_groups = 0;
    std::int64_t cycles = 0;
    StallStatistics stalls;
    ReservationFailures failures;
    std::vector<int> resident; ///< by cycle, up to `cycles`
    CacheStatistics l1;
};

struct ReferenceTiming {
    std::int64_t cycles = 0;
    std::vector<ReferenceCore> cores;
    std::vector<ReferenceIssue> issues;
};

/// `steps`: what every warp does; empty: its reads, each followed by the arithmetic of the options.
ReferenceTiming reference_timing(const SimulationCase& c,
                                 const std::deque<ReferenceStep>& steps = {});

} // namespace texelscope::test
