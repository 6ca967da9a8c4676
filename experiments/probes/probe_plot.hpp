#pragma once

#include "experiments/probes/probe.hpp"
#include "experiments/render/panel_plot.hpp"

#include <string>
#include <vector>

namespace texelscope::experiments {

/// The probe's own plots of its result; else each curve that has no family: the median of each point, and lines through the
/// least and the largest sample; and each family in one plot, the medians of some of its curves, spread over all. Marks are
/// dashed rules. On a logarithmic axis x is shown as powers of two.
[[nodiscard]] std::vector<ProbePlot> plots_of(const Probe& probe, const ProbeResult& result, const std::string& device);

} // namespace texelscope::experiments
