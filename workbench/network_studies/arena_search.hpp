#pragma once

#include "devices/kernels/opencl_device.hpp"
#include "workbench/network_studies/network_search.hpp"

namespace texelscope::workbench::network_studies {

/// The rules that an arena (one buffer for all values of a network) must follow on a device: those
/// of the OpenCL device that runs the network, where images may also be no larger than the
/// profile's limit. `row_multiple`: where `on` is null, the multiple of texels that rows of images
/// must have; 0: no images.
[[nodiscard]] networks::ArenaRules arena_rules(const DeviceProfile& profile,
                                               std::int32_t row_multiple,
                                               const devices::OpenClDevice* on);

/// Puts a plan into an arena (in_arena()). Then the schedule of each kernel is searched again,
/// starting from the plan's, with its values where they lie in the arena. Predicted times are those
/// of the kernels as they run there, including what has to be cleared before; there are no
/// candidates. Throws Interrupted, and bad_input where the model has no time for a kernel there.
void use_arena(PredictedPlan& planned, const networks::ArenaRules& rules,
               const DeviceProfile& device, const NetworkSearchOptions& options = {},
               const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
