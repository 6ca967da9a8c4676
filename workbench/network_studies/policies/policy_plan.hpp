#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/network_studies/network_search.hpp"
#include "workbench/network_studies/policies/layout_policy.hpp"

namespace texelscope::workbench::network_studies {

/// A network as another framework's policy would plan it: its values lie where the policy says, and
/// of the schedules what the framework tunes is searched with the same model as ours. Throws
/// Interrupted; bad_input, naming the tensor, where an image is beyond the device's limit and the
/// framework takes no buffer then, and where a kernel has no legal schedule on the device.
[[nodiscard]] PredictedPlan plan_by_policy(const LayoutPolicy& policy, const networks::Graph& graph,
                                           const DeviceProfile& device,
                                           const NetworkSearchOptions& options = {},
                                           const Progress& progress = {},
                                           const StopToken& stop = {});

/// The plan with its values where the policy has them, its kernels as they begin: lowered. Throws
/// bad_input as above.
[[nodiscard]] networks::Plan laid_out(const LayoutPolicy& policy, networks::Plan plan,
                                      const DeviceProfile& device);

} // namespace texelscope::workbench::network_studies
