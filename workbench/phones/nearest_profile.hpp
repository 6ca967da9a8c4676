#pragma once

#include "devices/jobs/opencl_device_info.hpp"
#include "devices/profile/device_profile.hpp"

#include <string>

namespace texelscope::workbench::phones {

/// What is known of a device before it is measured.
struct NearestProfile {
    DeviceProfile profile;
    /// Whether the profile is of this very device (describes()). Else it is of one of the same
    /// family, and all of its values are `assumed`.
    bool same = false;
};

/// The name of the built-in profile that describes a device, of several the shortest; empty: there
/// is none.
[[nodiscard]] std::string described_by(const OpenClDeviceInfo& device);

/// The built-in profile of a device or, where there is none, that of the nearest of its family:
/// Adreno and Mali by their numbers, other GPUs of NVIDIA as an H100, CPUs as PoCL's. Throws
/// bad_input for a device of no such family.
[[nodiscard]] NearestProfile nearest_profile(const OpenClDeviceInfo& device);

/// The profile `base` for that device, as above.
[[nodiscard]] NearestProfile as_profile_of(DeviceProfile base, const OpenClDeviceInfo& device);

} // namespace texelscope::workbench::phones
