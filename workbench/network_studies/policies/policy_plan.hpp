#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/network_studies/network_search.hpp"
#include "workbench/network_studies/policies/layout_policy.hpp"

namespace texelscope::workbench::network_studies {

/// Plans a network as another framework's policy would: values lie where the policy says, and the
/// parts of schedules that the framework tunes are searched with the same model as ours. Throws
/// Interrupted; bad_input, naming the tensor, where an image exceeds the device's limit and the
/// framework does not fall back to a buffer; and bad_input where a kernel has no legal schedule on
/// the device.
[[nodiscard]] PredictedPlan plan_by_policy(const LayoutPolicy& policy, const networks::Graph& graph,
                                           const DeviceProfile& device,
                                           const NetworkSearchOptions& options = {},
                                           const Progress& progress = {},
                                           const StopToken& stop = {});

/// The plan with its values laid out by the policy and its kernels lowered with the schedules that
/// they begin with. Throws bad_input as plan_by_policy() does.
[[nodiscard]] networks::Plan laid_out(const LayoutPolicy& policy, networks::Plan plan,
                                      const DeviceProfile& device);

} // namespace texelscope::workbench::network_studies
