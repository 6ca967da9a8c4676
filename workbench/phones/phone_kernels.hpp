#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/jobs/opencl_device_info.hpp"
#include "devices/profile/device_profile.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::workbench::phones {

struct PhoneKernel {
    Operator op;
    Schedule schedule;
};

/// Kernels of seven operators that tell much of a device when they are measured, `count` in all:
/// of each operator a half that the bottleneck model takes for fast on the profile, and a half
/// drawn by the seed; of each half every second one has its tensors in images, the others in
/// buffers. All are within the limits of the device.
[[nodiscard]] std::vector<PhoneKernel> phone_kernels(const DeviceProfile& profile,
                                                     const OpenClDeviceInfo& device,
                                                     std::size_t count, std::uint64_t seed);

} // namespace texelscope::workbench::phones
