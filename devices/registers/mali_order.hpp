#pragma once

#include "devices/registers/liveness.hpp"

namespace texelscope::devices {

/// The order in which Mesa's compiler for Mali would put the instructions of a block to take few
/// registers (bi_pressure_schedule.c), as their numbers: from the end, what frees most registers,
/// or takes fewest. It is used where it takes fewer than source order does.
[[nodiscard]] std::vector<std::size_t> mali_order(const MachineCode& code, const Liveness& liveness,
                                                  std::size_t block);

} // namespace texelscope::devices
