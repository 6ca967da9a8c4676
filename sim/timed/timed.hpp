#pragma once

#include "sim/memory/timed_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_result.hpp"
#include "sim/result/timed_observer.hpp"

#include <cstddef>
#include <optional>

namespace texelscope::sim {

/// Number of the first level that has all that a launch reads and writes when it begins, as the
/// launch before left it there (l2.warm): of those that all cores share, the first into which all
/// of it fits.
[[nodiscard]] std::optional<std::size_t> warm_level(const TraceSource& source,
                                                    const SimulationOptions& options);

/// Simulates a launch in time: the events of all cores in their order. Fills result.cores (warps,
/// occupancy groups, cycles, stalls), result.groups and result.cycles; result.occupancy is set.
/// `observer`: may be null.
void run_timed(const TraceSource& source, const SimulationOptions& options, TimedMemory& memory,
               SimulationResult& result, TimedObserver* observer = nullptr);

} // namespace texelscope::sim
