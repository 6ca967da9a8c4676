#pragma once

#include "devices/jobs/opencl_device_info.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace texelscope::test {
using namespace devices;

/// The CPU devices of this machine, PoCL's as a rule; where there is none, the test that asks says
/// that it does nothing.
[[nodiscard]] inline std::vector<OpenClDeviceInfo> cpu_devices()
{
    std::vector<OpenClDeviceInfo> devices = opencl_devices();
    std::erase_if(devices,
                  [](const OpenClDeviceInfo& device) { return !device.cpu && !device.is_pocl(); });
    if (devices.empty()) {
        WARN("skipped: there is no OpenCL device; install pocl-opencl-icd");
    }
    return devices;
}

} // namespace texelscope::test
