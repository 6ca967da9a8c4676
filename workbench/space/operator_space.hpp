#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/space/space_options.hpp"

namespace texelscope::workbench::space {

/// Every combination of what the options name that is legal on the device and within its limits.
/// Group sides are powers of two; those above the smallest power of two that covers the output are
/// left out, as are tile sides. What copies blocks (S) may yet turn out illegal with the tile or
/// the loops that it meets. Throws bad_input where nothing is left.
[[nodiscard]] ConfigurationSpace configuration_space(const Operator& op,
                                                     const DeviceProfile& device,
                                                     const SpaceOptions& options = {});

} // namespace texelscope::workbench::space
