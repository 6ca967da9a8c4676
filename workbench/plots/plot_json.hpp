#pragma once

#include "workbench/plots/panel_plot.hpp"

#include <nlohmann/json.hpp>

namespace texelscope::workbench::plots {

/// All of a plot, so that plot_from_json() gives one that is drawn the same. Of what puts numbers
/// into words it keeps those of the left axis at whole numbers; x_text is not kept.
[[nodiscard]] nlohmann::ordered_json plot_json(const PanelPlot& plot);
/// Throws what nlohmann does for what plot_json() has not written.
[[nodiscard]] PanelPlot plot_from_json(const nlohmann::ordered_json& json);

} // namespace texelscope::workbench::plots
