#pragma once

#include "base/stop.hpp"
#include "sim/memory/sequence_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_observer.hpp"
#include "sim/result/simulation_result.hpp"
#include "traces/trace_source.hpp"

#include <span>

namespace texelscope::sim {

/// Simulates any trace access by access, untimed. Fills all of the result except its occupancy.
/// Without observers, lanes that the source tells to be repeated (RepeatedLanes) are coalesced only
/// once for every place in the storage layout. `options` and `sequence` are as for MemoryHierarchy.
void run_streamed(const TraceSource& source, const SimulationOptions& options,
                  std::span<SimulationObserver* const> observers, const StopToken& stop,
                  SimulationResult& result, SequenceMemory* sequence = nullptr);

} // namespace texelscope::sim
