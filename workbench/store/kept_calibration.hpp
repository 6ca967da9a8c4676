#pragma once

#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "model/tmmodel/calibration.hpp"

#include <cstdint>
#include <string>

namespace texelscope::workbench::store {

/// calibrate_profile() with a cache on disk, since a calibration takes a quarter of a second. Files
/// lie in `folder`, which is created if it is missing, and are named by a digest of everything that
/// the result depends on: the simulated device's settings, the seed and this very program. A file
/// that is damaged or cannot be written only costs the time of a new calibration. The folder keeps
/// the 64 files that were used last. An empty `folder` keeps nothing.
[[nodiscard]] Calibration kept_calibration(const DeviceProfile& device, std::uint64_t seed,
                                           const std::string& folder, const StopToken& stop = {});

/// The user's folder of kept calibrations; empty where no cache folder is known.
[[nodiscard]] std::string calibrations_folder();

} // namespace texelscope::workbench::store
