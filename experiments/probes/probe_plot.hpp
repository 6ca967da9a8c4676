#pragma once

#include "experiments/panel_plot.hpp"
#include "experiments/probes/probe.hpp"

#include <string>
#include <vector>

namespace texelscope {

/// A curve of a probe: the median of each point, lines through the least and the largest sample, and its marks as dashed
/// rules. On a logarithmic axis x is shown as powers of two.
[[nodiscard]] PanelPlot probe_plot(const ProbeCurve& curve, const std::string& device);

/// The plots of a probe, its own or one of each curve.
[[nodiscard]] std::vector<ProbePlot> plots_of(const Probe& probe, const ProbeResult& result, const std::string& device);

} // namespace texelscope
