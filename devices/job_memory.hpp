#pragma once

#include "devices/job.hpp"
#include "devices/opencl_api.hpp"

#include <vector>

namespace texelscope {

/// What a kernel's argument refers to on the device; nothing for numbers and local memory.
struct JobMemory {
    cl::Image2D image;
    cl::Buffer buffer;
};

/// Creates and fills the memory of an argument. Throws cl::Error.
[[nodiscard]] JobMemory memory_of(const cl::Context& context, const cl::CommandQueue& queue,
                                  const JobArgument& argument);

/// Sets argument number `index` of the kernel. Throws cl::Error.
void set_argument(cl::Kernel& kernel, cl_uint index, const JobArgument& argument, const JobMemory& memory);

/// The bytes of an image, row by row without gaps, or of a buffer. Throws cl::Error.
[[nodiscard]] std::vector<std::byte> contents_of(const cl::CommandQueue& queue, const JobArgument& argument,
                                                 const JobMemory& memory);

} // namespace texelscope
