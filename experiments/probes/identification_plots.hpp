#pragma once

#include "experiments/render/panel_plot.hpp"
#include "model/identification/identify.hpp"

namespace texelscope::experiments {

/// The latency of each walk, in the order of the walks: measured, as the best explanation has it, and held out.
[[nodiscard]] PanelPlot walks_plot(const MeasuredWalks& measured, const Identification& identification);
/// What the best explanation says of each walk over what was measured, fitted and held out.
[[nodiscard]] PanelPlot fit_plot(const MeasuredWalks& measured, const Identification& identification);

} // namespace texelscope::experiments
