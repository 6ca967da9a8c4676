#pragma once

#include "workbench/plots/panel_plot.hpp"
#include "workbench/probes/probe.hpp"

#include <functional>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// The plots of a probe's result: those that the probe makes itself, or else one of each curve that
/// has no family and one of each family. The plot of a curve has the median of each point, and
/// lines through the least and the largest samples. The plot of a family has the medians of some of
/// its curves, spread over all. Marks are dashed rules. A logarithmic x axis shows powers of two.
[[nodiscard]] std::vector<ProbePlot> plots_of(const Probe& probe, const ProbeResult& result,
                                              const std::string& device);

/// "WHAT, DEVICE", shortened with "..." to fit above a plot of one panel.
[[nodiscard]] std::string plot_title(const std::string& what, const std::string& device);

/// Lines through the least and through the largest samples of the points; `place` gives the x of a
/// point by its number. The upper line is cut off at three times the largest median, because one
/// bad sample would flatten the rest of the plot.
[[nodiscard]] std::vector<PanelPlot::Curve>
extremes(const std::vector<const ProbePoint*>& points,
         const std::function<double(std::size_t)>& place);

} // namespace texelscope::workbench::probes
