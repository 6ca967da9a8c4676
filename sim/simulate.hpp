#pragma once

#include "base/stop.hpp"
#include "sim/result/heat_map.hpp"
#include "sim/result/simulation_observer.hpp"
#include "sim/result/simulation_result.hpp"
#include "sim/result/timed_observer.hpp"
#include "traces/trace_source.hpp"

#include <span>

namespace texelscope::sim {

struct SimulationOptions;

// The simulator, from outside. In go a trace (traces/trace_source.hpp: lazy, of any length) and
// SimulationOptions. Out comes a SimulationResult, a value: hits and misses of each level by kind,
// what each core did, and in timed mode cycles. validate() is called first, so that nothing runs
// with options that do not fit together. The same trace and options always give the same result.
//
//   simulate()          counts, untimed or timed; observers see each access and each of its lookups
//   simulate_in_time()  timed, with an observer of what happens when
//   heat_maps()         counts by texel, with jumps over repetition where possible
//   simulate_next()     one launch after another (sim/simulate_next.hpp)
//   sampled_time()      the time of a long launch, from parts of it (sim/sampled_time.hpp)
//
// In untimed mode, the simulation of a launch that nobody observes jumps over what repeats itself
// (sim/repetition/lockstep.hpp); the counts are the same as without jumps. In timed mode, the order
// of accesses follows from time, and so do the counts.

/// Runs a trace from empty caches. Deterministic. Throws bad_input where the options are invalid.
[[nodiscard]] SimulationResult simulate(const TraceSource& source, const SimulationOptions& options,
                                        std::span<SimulationObserver* const> observers = {},
                                        const StopToken& stop = {});

/// Runs a trace in the timed mode, with an observer of what happens when. Throws as simulate()
/// does.
[[nodiscard]] SimulationResult simulate_in_time(const TraceSource& source,
                                                SimulationOptions options, TimedObserver& observer,
                                                const StopToken& stop = {});

struct HeatMapResult {
    SimulationResult simulation;
    HeatMaps maps;
    std::int64_t selected = 0; ///< warp accesses that the maps count
};

/// Simulates, and counts the heat maps that are asked for. It jumps over repetition where
/// simulate() without observers would: in untimed mode, for a launch. For reuse, and for a range of
/// accesses, it looks at every access. Throws as simulate() does.
[[nodiscard]] HeatMapResult heat_maps(const TraceSource& source, const SimulationOptions& options,
                                      const HeatRequest& request = {}, const StopToken& stop = {});

} // namespace texelscope::sim
