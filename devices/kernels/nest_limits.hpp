#pragma once

#include "devices/kernels/opencl_device.hpp"

#include <optional>
#include <string>

namespace texelscope::devices {

/// Why the device cannot launch the nest at all, in one line; nothing where its limits allow it. A kernel may have
/// narrower limits of its own, known once it is built.
[[nodiscard]] std::optional<std::string> beyond_limits(const OpenClDeviceInfo& device, const LoopNest& nest);

} // namespace texelscope::devices
