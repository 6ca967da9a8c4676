#pragma once

#include "devices/jobs/opencl_device_info.hpp"
#include "devices/profile/device_profile.hpp"

#include <optional>

namespace texelscope::devices {

/// Whether a profile describes that very kind of device: all words of DeviceProfile::of are among
/// those of the device's name, vendor, platform and version, in any case; "cpu" is one of a CPU's.
/// Nothing where the profile does not say.
[[nodiscard]] std::optional<bool> describes(const DeviceProfile& profile,
                                            const OpenClDeviceInfo& device);

} // namespace texelscope::devices
