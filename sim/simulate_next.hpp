#pragma once

#include "base/stop.hpp"
#include "sim/memory/sequence_memory.hpp"
#include "sim/result/simulation_result.hpp"
#include "traces/trace_source.hpp"

namespace texelscope::sim {

/// Runs the next launch of a sequence, from what those before it left in the caches that the cores
/// share, and leaves its own there. Kinds of misses are not told apart: what is there from before
/// is no launch's own. Throws as simulate() does.
[[nodiscard]] SimulationResult simulate_next(const TraceSource& source, SimulationOptions options,
                                             SequenceMemory& sequence, const StopToken& stop = {});

} // namespace texelscope::sim
