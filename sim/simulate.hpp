#pragma once

#include "base/stop.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_observer.hpp"
#include "sim/result/simulation_result.hpp"
#include "traces/trace_source.hpp"

#include <span>

namespace texelscope::sim {

/// Runs a trace from empty caches. Deterministic. Throws bad_input where the options are invalid.
[[nodiscard]] SimulationResult simulate(const TraceSource& source, const SimulationOptions& options,
                                        std::span<SimulationObserver* const> observers = {},
                                        const StopToken& stop = {});

} // namespace texelscope::sim
