#pragma once

#include "base/stop.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_result.hpp"
#include "traces/trace_source.hpp"

namespace texelscope::sim {

/// Simulates a source access by access, untimed, for its counts alone: fills the result but for its occupancy.
void run_streamed(const TraceSource& source, const SimulationOptions& options, const StopToken& stop,
                  SimulationResult& result);

} // namespace texelscope::sim
