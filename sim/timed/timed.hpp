#pragma once

#include "sim/memory/timed_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_result.hpp"

namespace texelscope::sim {

/// Simulates a launch in time: the events of all cores in their order. Fills result.cores (warps, occupancy groups, cycles,
/// stalls), result.groups and result.cycles; result.occupancy is set.
void run_timed(const TraceSource& source, const SimulationOptions& options, TimedMemory& memory,
               SimulationResult& result);

} // namespace texelscope::sim
