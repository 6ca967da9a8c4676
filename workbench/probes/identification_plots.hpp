#pragma once

#include "model/identification/identify.hpp"
#include "workbench/plots/panel_plot.hpp"

namespace texelscope::workbench::probes {

/// The latency of each walk, in their order: as measured, as the best explanation predicts it, and
/// as predicted for walks that were held out of the fit.
[[nodiscard]] PanelPlot walks_plot(const MeasuredWalks& measured,
                                   const Identification& identification);
/// The best explanation's latency of each walk over the measured one, for walks that were fitted
/// and for those that were held out.
[[nodiscard]] PanelPlot fit_plot(const MeasuredWalks& measured,
                                 const Identification& identification);

} // namespace texelscope::workbench::probes
