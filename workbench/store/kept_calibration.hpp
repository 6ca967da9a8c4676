#pragma once

#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "model/tmmodel/calibration.hpp"

#include <cstdint>
#include <string>

namespace texelscope::workbench::store {

/// What calibrate_profile() says, which takes a quarter of a second, kept in a folder that is made
/// where it is not there: by a digest of all that it depends on, the simulated device's settings,
/// the seed and this very program. A file that is damaged, or cannot be written, only costs the
/// time. The folder keeps the 64 that were used last; an empty name keeps nothing.
[[nodiscard]] Calibration kept_calibration(const DeviceProfile& device, std::uint64_t seed,
                                           const std::string& folder, const StopToken& stop = {});

/// Where this user's are; empty where no cache folder is known.
[[nodiscard]] std::string calibrations_folder();

} // namespace texelscope::workbench::store
