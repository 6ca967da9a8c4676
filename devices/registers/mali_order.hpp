#pragma once

#include "devices/registers/liveness.hpp"

namespace texelscope::devices {

/// The order in which Mesa's compiler for Mali would put the instructions of a block to take few
/// registers (bi_pressure_schedule.c), as numbers of instructions. It builds the order from the
/// end, always choosing the instruction that frees most registers, or takes fewest. It is used
/// where it needs fewer registers than source order.
[[nodiscard]] std::vector<std::size_t> mali_order(const MachineCode& code, const Liveness& liveness,
                                                  std::size_t block);

} // namespace texelscope::devices
