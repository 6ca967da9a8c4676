#pragma once

#include "devices/job.hpp"
#include "devices/opencl_device_info.hpp"

#include <optional>
#include <string>

namespace texelscope {

/// Why the device cannot run the job by what it says of itself; nothing where nothing speaks against it.
[[nodiscard]] std::optional<std::string> beyond_limits(const OpenClDeviceInfo& device, const Job& job);

} // namespace texelscope
