#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "devices/registers/machine_code.hpp"

namespace texelscope::devices {

using namespace texelscope::codegen;

/// The kernel as a compiler of Mesa's has it: numbers instead of vectors, loops written out
/// (is_written_out()), what is calculated twice once, what no store depends on left out. Addresses
/// are sums of products of what the work-item knows, with the constant added last. `vectors`: as
/// the compiler for Mali does it (is_written_out()).
[[nodiscard]] MachineCode machine_code(const LoopNest& nest, Precision arithmetic, bool vectors);

} // namespace texelscope::devices
