#pragma once

#include "sim/options.hpp"
#include "sim/simulate.hpp"
#include "traces/trace_source.hpp"

namespace texelscope {

/// Simulates a source access by access, untimed, for its counts alone: fills the result but for its occupancy.
void run_streamed(const TraceSource& source, const SimulationOptions& options, const StopToken& stop,
                  SimulationResult& result);

} // namespace texelscope
