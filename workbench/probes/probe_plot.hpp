#pragma once

#include "workbench/plots/panel_plot.hpp"
#include "workbench/probes/probe.hpp"

#include <functional>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// The probe's own plots of its result; else each curve that has no family: the median of each
/// point, and lines through the least and the largest sample; and each family in one plot, the
/// medians of some of its curves, spread over all. Marks are dashed rules. On a logarithmic axis x
/// is shown as powers of two.
[[nodiscard]] std::vector<ProbePlot> plots_of(const Probe& probe, const ProbeResult& result,
                                              const std::string& device);

/// "WHAT, DEVICE", of as many letters as fit above a plot of one panel; "..." where some had to go.
[[nodiscard]] std::string plot_title(const std::string& what, const std::string& device);

/// Lines through the least and the largest samples of the points, of which `place` gives x. The
/// latter is cut off at three times the largest median: one sample that went wrong would flatten
/// all others.
[[nodiscard]] std::vector<PanelPlot::Curve>
extremes(const std::vector<const ProbePoint*>& points,
         const std::function<double(std::size_t)>& place);

} // namespace texelscope::workbench::probes
