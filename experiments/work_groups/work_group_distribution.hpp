#pragma once

#include "experiments/shared/experiment_result.hpp"
#include "experiments/work_groups/work_group_times.hpp"

#include <vector>

namespace texelscope::experiments {

// Jiang et al. (APSys 2020), section 4.1 and figure 5: how the latencies of all work-group sizes
// are distributed.

/// Share of the sizes whose latency is within 15 % of the least: the paper's competitive
/// candidates.
[[nodiscard]] double competitive_share(const WorkGroupTimes& times);

/// What the paper says of figure 5, decided by the data.
[[nodiscard]] std::vector<Finding>
work_group_distribution_findings(const std::vector<WorkGroupTimes>& kernels);

[[nodiscard]] PanelPlot work_group_distribution_plot(const std::vector<WorkGroupTimes>& kernels);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_work_group_distribution;

} // namespace texelscope::experiments
