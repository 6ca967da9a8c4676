#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "devices/compilers/compiler_gpu.hpp"
#include "devices/profile/device_profile.hpp"

namespace texelscope::devices {

using namespace texelscope::codegen;

/// 32-bit registers of a work-item that Mesa's compiler for the GPU is expected to take for the
/// kernel, without it: its loops written out, its order of instructions and its rule of how many
/// registers are handed out, each worked out anew in short. docs/reference/compilers.md has how
/// often it is right.
[[nodiscard]] int estimated_registers(const LoopNest& nest, Precision arithmetic,
                                      const CompilerGpu& gpu);

/// The same for the GPU of a profile; where no compiler of Mesa's writes code for it, the live
/// values of the text (register_footprint()).
[[nodiscard]] int estimated_registers(const LoopNest& nest, const DeviceProfile& device);

} // namespace texelscope::devices
