#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/study/prediction.hpp"

#include <optional>
#include <vector>

namespace texelscope::workbench::tuning {

/// The bottleneck model's costs of one kernel in work-groups; an index is a place in their list.
[[nodiscard]] ModelCosts::Costs bottleneck_costs(const Operator& op, const DeviceProfile& device,
                                                 const Schedule& schedule,
                                                 std::vector<GroupChoice> groups,
                                                 const StopToken& stop = {});

/// Its time of one schedule, which must be legal; nothing where it has none.
[[nodiscard]] std::optional<Nanoseconds> bottleneck_price(const Operator& op,
                                                          const DeviceProfile& device,
                                                          const Schedule& schedule,
                                                          const StopToken& stop = {});

} // namespace texelscope::workbench::tuning
