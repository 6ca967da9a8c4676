#pragma once

#include "codegen/nest/half_sums.hpp"
#include "devices/registers/loop_unrolling.hpp"
#include "devices/registers/machine_code.hpp"

namespace texelscope::codegen {
struct LoopNest;
} // namespace texelscope::codegen

namespace texelscope::devices {

using namespace texelscope::codegen;

/// Lowers a nest to the code that Mesa's compilers have before they order instructions: scalars
/// instead of vectors, loops unrolled (is_written_out()), common subexpressions calculated once,
/// and dead code removed. Addresses are sums of products of values that the work-item knows, with
/// the constant added last. `vectors` selects the unrolling rule of the compiler for Mali.
[[nodiscard]] MachineCode machine_code(const LoopNest& nest, Precision arithmetic, bool vectors,
                                       const UnrollRule& unroll = {});

} // namespace texelscope::devices
