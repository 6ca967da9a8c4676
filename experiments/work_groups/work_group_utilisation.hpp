#pragma once

#include "experiments/shared/experiment_result.hpp"
#include "experiments/work_groups/work_group_times.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::experiments {

// Jiang et al. (APSys 2020), section 3.2 and figure 4: utilisation of the ALUs and latency of a
// convolution over work-group sizes.

/// That many groups from the slowest to the fastest, ranks evenly spaced; all where there are no
/// more.
[[nodiscard]] std::vector<WorkGroupTime> shown_groups(const WorkGroupTimes& times,
                                                      std::size_t count);

/// What the paper says of figure 4, decided by the data.
[[nodiscard]] std::vector<Finding> work_group_utilisation_findings(const WorkGroupTimes& conv);

[[nodiscard]] PanelPlot work_group_utilisation_plot(const Operator& op, const WorkGroupTimes& conv);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_work_group_utilisation;

} // namespace texelscope::experiments
