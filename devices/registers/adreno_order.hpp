#pragma once

#include "devices/registers/liveness.hpp"

namespace texelscope::devices {

constexpr int mesa_reads_at_once = 8;

/// The order in which Mesa's compiler for Adreno puts the instructions of a block (ir3_sched.c), as
/// their numbers: first what frees registers or takes none, then what is used soonest; texture and
/// buffer reads before what would wait for one of them, up to `reads_at_once` at a time.
/// Left out: reads of local memory are not put first, and among equals the longest chain is not
/// preferred; neither changed how many kernels are estimated right.
[[nodiscard]] std::vector<std::size_t> adreno_order(const MachineCode& code,
                                                    const Liveness& liveness, std::size_t block,
                                                    int reads_at_once = mesa_reads_at_once);

} // namespace texelscope::devices
