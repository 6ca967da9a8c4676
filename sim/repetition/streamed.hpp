#pragma once

#include "base/stop.hpp"
#include "sim/memory/sequence_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_observer.hpp"
#include "sim/result/simulation_result.hpp"
#include "traces/trace_source.hpp"

#include <span>

namespace texelscope::sim {

/// Simulates a source access by access, untimed: fills the result but for its occupancy. Without
/// observers, lanes that come again, moved, are coalesced once for every place in the storage
/// layout. Options, and the sequence that the launch is part of, as for MemoryHierarchy.
void run_streamed(const TraceSource& source, const SimulationOptions& options,
                  std::span<SimulationObserver* const> observers, const StopToken& stop,
                  SimulationResult& result, SequenceMemory* sequence = nullptr);

} // namespace texelscope::sim
