#pragma once

#include "base/stop.hpp"
#include "sim/memory/sequence_memory.hpp"
#include "sim/result/simulation_result.hpp"
#include "traces/trace_source.hpp"

namespace texelscope::sim {

/// Runs the next launch of a sequence: the shared caches begin as the launches before left them,
/// and their contents at the end are kept in `sequence` for the next one. Kinds of misses are not
/// told apart, because a line that an earlier launch brought in has no first touch in this one.
/// Throws as simulate() does.
[[nodiscard]] SimulationResult simulate_next(const TraceSource& source, SimulationOptions options,
                                             SequenceMemory& sequence, const StopToken& stop = {});

} // namespace texelscope::sim
