#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/study/prediction.hpp"

#include <optional>
#include <string>

namespace texelscope::workbench::tuning {

/// Letters of the parts that a search takes where nobody names any: TMModel's, and of the others
/// those that have a value beside their default, and of which the bottleneck model and the
/// simulator both have a price for every value: in the operator's default configuration, or with
/// one of several tiles and work-groups. P is never among them: it changes the numbers that a
/// kernel computes.
[[nodiscard]] std::string priced_parts(const Operator& op, const DeviceProfile& device);

/// Of these, the letters of the parts that random draws take: without S, as most draws of it would
/// be illegal.
[[nodiscard]] std::string drawn_parts(const Operator& op, const DeviceProfile& device);

/// Letters of the parts of which one of the two refuses a value there.
[[nodiscard]] std::string refused_parts(const Operator& op, const DeviceProfile& device);

/// The bottleneck model's time of one schedule, which must be legal; nothing where it has none.
[[nodiscard]] std::optional<Nanoseconds> bottleneck_price(const Operator& op,
                                                          const DeviceProfile& device,
                                                          const Schedule& schedule,
                                                          const StopToken& stop = {});

} // namespace texelscope::workbench::tuning
