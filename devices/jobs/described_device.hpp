#pragma once

#include "devices/jobs/opencl_device_info.hpp"
#include "devices/profile/device_profile.hpp"

#include <optional>

namespace texelscope::devices {

/// Whether a profile describes this kind of device: every word of DeviceProfile::of occurs among
/// the words of the device's name, vendor, platform and version. Case does not matter; a CPU has
/// the additional word "cpu". Nothing if the profile has no such words.
[[nodiscard]] std::optional<bool> describes(const DeviceProfile& profile,
                                            const OpenClDeviceInfo& device);

} // namespace texelscope::devices
