#pragma once

#include "workbench/probes/probe.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::probes {

// Plots of the tmmodel probes' results.

/// Walks from the quickest to the slowest.
[[nodiscard]] std::vector<ProbePlot> tmmodel_walks_plots(const ProbeResult& result,
                                                         const std::string& device);
/// As TMModel's figure 4: throughput of each pattern over the lanes, against perfect scaling.
[[nodiscard]] std::vector<ProbePlot> tmmodel_warps_plots(const ProbeResult& result,
                                                         const std::string& device);
/// As TMModel's figure 5, without miss rates: time over the warps, a panel for each number of
/// registers; and the same over work-groups; and warps that share their data against those that do
/// not.
[[nodiscard]] std::vector<ProbePlot> tmmodel_occupancy_plots(const ProbeResult& result,
                                                             const std::string& device);

} // namespace texelscope::workbench::probes
