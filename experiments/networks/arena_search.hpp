#pragma once

#include "experiments/networks/network_search.hpp"

namespace texelscope::experiments {

/// Puts a plan into an arena (in_arena()), and searches the schedule of each kernel once more, from the plan's on, with its values where
/// they lie then. Times are those of the kernels as they run, with what is cleared before; there are no candidates. Throws Interrupted,
/// and bad_input where the model has no time for a kernel there.
void use_arena(PredictedPlan& planned, const networks::ArenaRules& rules, const DeviceProfile& device,
               const NetworkSearchOptions& options = {}, const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::experiments
