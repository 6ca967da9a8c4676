#pragma once

#include "experiments/phones/measured_phones.hpp"
#include "workbench/plots/panel_plot.hpp"

namespace texelscope::experiments {

/// Predicted over measured times in ms: a panel for each task, one for each device's layers, on
/// common axes. Throws bad_input where there is nothing to show.
[[nodiscard]] workbench::plots::PanelPlot phone_plot(const MeasuredPhones& phones);

} // namespace texelscope::experiments
