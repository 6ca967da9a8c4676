#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "devices/profile/device_profile.hpp"

#include <cstdint>
#include <string>

namespace texelscope::devices {

/// Throws bad_input where a nest breaks a limit of the device: image sides, work-items and local
/// memory of a work-group.
void check_limits(const LoopNest& nest, const DeviceProfile& device);
/// Throws bad_input where an image is larger than the device's.
void check_operand(const Operand& operand, const DeviceLimits& limits, const std::string& where);
/// Throws bad_input where a core has no local memory for one work-group that takes so many bytes of
/// it.
void check_local_memory(std::int64_t bytes, const DeviceLimits& limits, const std::string& where);

} // namespace texelscope::devices
