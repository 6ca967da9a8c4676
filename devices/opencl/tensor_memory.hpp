#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/opencl/opencl_api.hpp"

#include <vector>

namespace texelscope::devices {

/// The image or buffer of an operand on a device, filled with texels (4 floats each, row-major), which are rounded to
/// half precision where that is how they are stored. Throws cl::Error.
[[nodiscard]] cl::Memory memory_of(const cl::Context& context, const cl::CommandQueue& queue, const Operand& operand,
                                   const std::vector<float>& texels, TexelBackend backend);

/// The texels back, as floats; waits for the queue.
[[nodiscard]] std::vector<float> texels_of(const cl::CommandQueue& queue, const Operand& operand,
                                           const cl::Memory& memory);

} // namespace texelscope::devices
