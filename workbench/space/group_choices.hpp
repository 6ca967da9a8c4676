#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/space/kernel_choice.hpp"
#include "workbench/space/space_options.hpp"

#include <vector>

namespace texelscope::workbench::space {

/// The work-groups that a kernel can have, by what the options say of G and W and by the device's
/// limit; where it copies blocks, those that the operator takes with some tile. Sides are powers of
/// two, at most the smallest that covers the output.
[[nodiscard]] std::vector<GroupChoice> group_choices(const Operator& op,
                                                     const DeviceProfile& device,
                                                     const SpaceOptions& options,
                                                     const KernelChoice& kernel);

} // namespace texelscope::workbench::space
