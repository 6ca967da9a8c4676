#pragma once

#include "experiments/render/panel_plot.hpp"

#include <vector>

namespace texelscope::gui {

/// Timing samples, in ns, as points along a time axis, the first on top, with a dashed line at the median. There must be
/// some.
[[nodiscard]] PanelPlot samples_plot(const std::vector<double>& samples_ns, double median_ns);

} // namespace texelscope::gui
