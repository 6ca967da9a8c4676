#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/space/configuration_space.hpp"

namespace texelscope::workbench::space {

/// The space without the kernels whose images are larger than the device's; the whole space where
/// that would tie too many kernels together.
[[nodiscard]] ConfigurationSpace within_image_limits(ConfigurationSpace space, const Operator& op,
                                                     const DeviceProfile& device);

} // namespace texelscope::workbench::space
