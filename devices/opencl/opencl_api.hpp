#pragma once

// For the .cpp files of this folder alone: the OpenCL C++ bindings take seconds to compile, and
// nothing else needs them. C++17, as is opencl_discovery.cpp: texelscope-agent is built from both.

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include "devices/jobs/opencl_device_info.hpp"

#include <CL/opencl.hpp>

#include <string>
#include <vector>

namespace texelscope::devices {

struct FoundDevice {
    cl::Device device;
    OpenClDeviceInfo info;
};

/// What opencl_devices() describes, with the handles; the index of each is its position.
[[nodiscard]] std::vector<FoundDevice> find_opencl_devices();

/// "clBuildProgram: CL_INVALID_BINARY (-42)".
[[nodiscard]] std::string describe(const cl::Error& error);

} // namespace texelscope::devices
