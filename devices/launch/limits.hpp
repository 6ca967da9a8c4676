#pragma once

#include "codegen/nest/operand.hpp"
#include "devices/profile/device_profile.hpp"

#include <cstdint>
#include <string>

namespace texelscope::codegen {
struct LoopNest;
} // namespace texelscope::codegen

namespace texelscope::devices {

/// Throws bad_input where a nest exceeds a limit of the device: image sides, work-items of a
/// work-group, or its local memory.
void check_limits(const LoopNest& nest, const DeviceProfile& device);
/// Throws bad_input where an image is larger than the device allows.
void check_operand(const Operand& operand, const DeviceLimits& limits, const std::string& where);
/// Throws bad_input where a core does not have the local memory for one work-group that takes
/// `bytes` of it.
void check_local_memory(std::int64_t bytes, const DeviceLimits& limits, const std::string& where);

} // namespace texelscope::devices
