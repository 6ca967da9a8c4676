#pragma once

#include "base/stop.hpp"
#include "sim/memory/sequence_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/repetition/launch_program.hpp"
#include "sim/result/heat_map.hpp"
#include "sim/result/simulation_result.hpp"
#include "traces/trace_source.hpp"

namespace texelscope::sim {

/// Simulates a launch that is described by access functions, untimed: fills the result but for its
/// occupancy.
///
/// All warps of a launch make the same number of accesses, so the cores go through its loops in
/// step. With options.mode.jump the simulation does not walk through repetition:
///
/// A translation of memory that moves the lines of each image by a distance of its own, and with
/// that rotates the sets of every cache as a whole, maps hits to hits and misses to misses. So if
/// the contents of all caches at two iterations of a loop (or at two rounds of the launch) are
/// translations of each other by what the loop moves its reads in between, then what happens from
/// the later one on is what happened from the earlier one on, translated: the counts are multiplied
/// and the contents moved, for as many times as fit into the loop and as leave every lane on its
/// side of the image's edge. (Morelli and Reineke, "Warping Cache Simulation of Polyhedral
/// Programs", PLDI 2022, jump over loops in one cache; here the state is that of all caches
/// together, compared entry by entry, so the result is exact behind an L2 as well.)
///
/// Contents are kept at iterations that grow geometrically, and taken and compared only as often as
/// the lookups since then pay for it, so that a launch without repetition costs little more than
/// without all this.
///
/// `sequence`: the sequence that the launch is part of, or null, see MemoryHierarchy. Lines that
/// other launches left in L2 do not move under the translation. So where the sets rotate, nothing
/// is jumped over before these lines are evicted.
void run_lockstep(const TraceSource& source, const SimulationOptions& options,
                  LaunchProgram& program, const StopToken& stop, SimulationResult& result,
                  SequenceMemory* sequence = nullptr);

/// Simulates likewise and returns heat maps, with the same jumps (HeatRecorder). They have all
/// quantities except reuse, and count all accesses.
[[nodiscard]] HeatMaps run_lockstep(const TraceSource& source, const SimulationOptions& options,
                                    LaunchProgram& program, const HeatRequest& request,
                                    const StopToken& stop, SimulationResult& result);

} // namespace texelscope::sim
