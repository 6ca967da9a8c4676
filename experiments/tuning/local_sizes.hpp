#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/space/configuration_space.hpp"

namespace texelscope::experiments {

/// The kernel that a framework has for an operator, where nothing but the work-group is left to choose: MNN's first for a
/// matrix product and conv2d (its patterns and tile, see baseline_rules.hpp), else that of the operator's default
/// schedule.
[[nodiscard]] KernelChoice framework_kernel(const Operator& op, const DeviceProfile& device);

/// What a search of local sizes in the manner of CLML chooses from: one kernel and a short list of work-groups, each to be
/// run once (TMModel, section 6.1 and table 2: CLML searches G alone, by running; section 6.2: a limited set of
/// candidates).
/// CLML is closed: neither its kernels nor its list are published. Assumed here are the framework's kernel, and groups of
/// 1, 2, 4, ... whole warps up to the device's limit, each in up to three shapes of sides that are powers of two: as wide
/// as they are high or twice, and four times wider or higher than that, as far as the grid reaches; lanes in their
/// natural order. On a warp of 64 and a limit of 1024 that is 15 groups at most.
[[nodiscard]] ConfigurationSpace local_size_space(const Operator& op, const DeviceProfile& device);

} // namespace texelscope::experiments
