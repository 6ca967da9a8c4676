#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"

#include <string>

namespace texelscope::workbench::tuning {

/// Keys of the parts that a search takes where nobody names any: TMModel's, and of the others those
/// that have a value beside their default, and of which the bottleneck model and the simulator both
/// have a price for every value: in the operator's default configuration, or with one of several
/// tiles and work-groups. P is never among them: it changes the numbers that a kernel computes.
[[nodiscard]] std::string priced_parts(const Operator& op, const DeviceProfile& device);

/// Of these, the keys of the parts that random draws take: without S, as most draws of it would be
/// illegal.
[[nodiscard]] std::string drawn_parts(const Operator& op, const DeviceProfile& device);

/// Keys of the parts of which one of the two refuses a value there.
[[nodiscard]] std::string refused_parts(const Operator& op, const DeviceProfile& device);

} // namespace texelscope::workbench::tuning
