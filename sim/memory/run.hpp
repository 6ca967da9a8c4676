#pragma once

#include "base/stop.hpp"
#include "sim/memory/memory_hierarchy.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_observer.hpp"
#include "sim/result/simulation_result.hpp"
#include "sim/schedule/warp_dispatch.hpp"

#include <span>

namespace texelscope::sim {

/// What both modes share: the memory, the observers, the counters of the launch.
class Run {
public:
    Run(const TraceSource& trace, const SimulationOptions& device, std::span<SimulationObserver* const> observers,
        const StopToken& stop)
        : source(trace), options(device), memory(trace.images(), device), observers_(observers), poll_(stop)
    {}

    /// Looks up one access, tells the observers and counts it. Throws Interrupted when asked to stop.
    MemoryHierarchy::Outcome access(int core, WarpId warp, const WarpAccess& access);

    const TraceSource& source;
    const SimulationOptions& options;
    MemoryHierarchy memory;
    SimulationResult result;

private:
    std::span<SimulationObserver* const> observers_;
    StopCheck poll_;
};

/// Untimed. Fills result.cores (warps, occupancy groups) and result.groups.
void run_observed(Run& run);

} // namespace texelscope::sim
