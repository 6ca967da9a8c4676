#pragma once

#include "devices/kernels/opencl_device.hpp"
#include "workbench/network_studies/network_search.hpp"

namespace texelscope::workbench::network_studies {

/// What the device that runs a network asks of an arena, with images as large as the profile takes
/// them, too. `row_multiple`: of images' rows where there is no such device (null), in texels; 0:
/// no images.
[[nodiscard]] networks::ArenaRules arena_rules(const DeviceProfile& profile,
                                               std::int32_t row_multiple,
                                               const devices::OpenClDevice* on);

/// Puts a plan into an arena (in_arena()), and searches the schedule of each kernel once more, from
/// the plan's on, with its values where they lie then. Times are those of the kernels as they run,
/// with what is cleared before; there are no candidates. Throws Interrupted, and bad_input where
/// the model has no time for a kernel there.
void use_arena(PredictedPlan& planned, const networks::ArenaRules& rules,
               const DeviceProfile& device, const NetworkSearchOptions& options = {},
               const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
