#pragma once

#include "sim/memory/timed_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_result.hpp"
#include "sim/result/timed_observer.hpp"

#include <cstddef>
#include <optional>

namespace texelscope::sim {

/// Number of the level that holds everything that a launch reads and writes when the launch begins,
/// because the launch before left it there (option l2.warm). This is the first level shared by all
/// cores that is large enough. 1 is the first level behind L1. Returns nullopt without the option,
/// or where no level is large enough.
[[nodiscard]] std::optional<std::size_t> warm_level(const TraceSource& source,
                                                    const SimulationOptions& options);
/// The same for a launch that reads and writes so many bytes.
[[nodiscard]] std::optional<std::size_t> warm_level(double bytes, const SimulationOptions& options);

/// Simulates a launch in time: takes the events of all cores in the order of their times. Fills
/// result.cores (warps, occupancy groups, cycles, stalls, reservation failures, occupancy over
/// time), result.groups and result.cycles; result.occupancy must be set before. `observer` may be
/// null. Throws bad_input where work-items wait for each other and a core has no room for a whole
/// work-group.
void run_timed(const TraceSource& source, const SimulationOptions& options, TimedMemory& memory,
               SimulationResult& result, TimedObserver* observer = nullptr);

} // namespace texelscope::sim
