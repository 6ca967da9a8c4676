#pragma once

#include "devices/jobs/job.hpp"
#include "devices/jobs/opencl_device_info.hpp"

#include <optional>
#include <string>

namespace texelscope::devices {

/// Why the device cannot run the job by what it says of itself; nothing where nothing speaks against it.
[[nodiscard]] std::optional<std::string> beyond_limits(const OpenClDeviceInfo& device, const Job& job);

} // namespace texelscope::devices
