#pragma once

#include "sim/options/options.hpp"
#include "traces/launch.hpp"

namespace texelscope::sim {

// What the registers of a work-item cost for which a core has no room (registers.spilled). Their
// values are kept in memory of the work-item's own, which is reached through the path of loads and
// stores. Mesa's compilers make such code (ir3_spill.c: stp and ldp; bi_ra.c: STORE and LOAD of
// thread-local storage): an instruction for each register that is stored or loaded. Where the
// kernel's compiler has told how many (KernelDemand::spill_accesses), that is what they cost.
// Otherwise nobody knows, so that two rules are offered (SpillRule).

/// SpillRule::operand: bytes that a work-item writes to memory and reads back per operation, on
/// average. 0 by the other rule, and where the compiler has told.
[[nodiscard]] double spilled_bytes(const SimulationOptions& options);

/// Words of 32 bits that a work-item stores and loads in all, as the kernel's compiler has told.
/// Else, by SpillRule::body, a work-item that comes through a body of `n` operations, those of its
/// inner loops left out, stores and loads min(n, registers.spilled) registers; by the other rule 0.
[[nodiscard]] double spill_accesses(const Launch& launch, const SimulationOptions& options);

/// Share of the spilled bytes that goes on to memory. The spilled registers of all warps for which
/// the cores have room lie in the last level of cache as far as this is large enough.
[[nodiscard]] double spilled_past_caches(const SimulationOptions& options);

/// Operations of a work-item, over all iterations of all loops.
[[nodiscard]] double operations_of(const std::vector<Statement>& body);

} // namespace texelscope::sim
