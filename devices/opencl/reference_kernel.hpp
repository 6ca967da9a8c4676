#pragma once

// C++17: texelscope-agent is built from it, too.

#include "devices/opencl/opencl_api.hpp"

#include <array>
#include <cstdint>

namespace texelscope::devices {

/// One work-group in which each work-item multiplies and adds, each time on the result of the time
/// before. Neither the number of cores nor any memory matters for its time, which is therefore that
/// of a fixed number of the cores' clock cycles.
struct ReferenceKernel {
    cl::Kernel kernel;
    cl::Buffer out; ///< its argument, which does not keep the memory alive by itself
    std::array<std::int64_t, 3> items{1, 1, 1}; ///< of its one work-group
};

/// Builds it, with its arguments set. Throws cl::Error where the device does not take it.
[[nodiscard]] ReferenceKernel build_reference(const cl::Context& context, const cl::Device& device);

} // namespace texelscope::devices
