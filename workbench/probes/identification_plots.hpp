#pragma once

#include "model/identification/identify.hpp"
#include "workbench/plots/panel_plot.hpp"

namespace texelscope::workbench::probes {

/// The latency of each walk, in the order of the walks: measured, as the best explanation has it,
/// and held out.
[[nodiscard]] PanelPlot walks_plot(const MeasuredWalks& measured,
                                   const Identification& identification);
/// What the best explanation says of each walk over what was measured, fitted and held out.
[[nodiscard]] PanelPlot fit_plot(const MeasuredWalks& measured,
                                 const Identification& identification);

} // namespace texelscope::workbench::probes
