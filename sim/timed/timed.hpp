#pragma once

#include "sim/memory/timed_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_result.hpp"
#include "sim/result/timed_observer.hpp"

namespace texelscope::sim {

/// Whether all that a launch reads and writes is in L2 when it begins: the launch before left it there (l2.warm).
[[nodiscard]] bool is_in_l2(const TraceSource& source, const SimulationOptions& options);

/// Simulates a launch in time: the events of all cores in their order. Fills result.cores (warps, occupancy groups, cycles,
/// stalls), result.groups and result.cycles; result.occupancy is set. `observer`: may be null.
void run_timed(const TraceSource& source, const SimulationOptions& options, TimedMemory& memory,
               SimulationResult& result, TimedObserver* observer = nullptr);

} // namespace texelscope::sim
