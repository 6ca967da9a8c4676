#pragma once

#include "workbench/plots/panel_plot.hpp"

#include <nlohmann/json.hpp>

namespace texelscope::workbench::plots {

/// A plot as JSON, so that plot_from_json() gives one that is drawn the same. Functions cannot be
/// kept: of left_text the texts of whole numbers are kept, x_text is dropped.
[[nodiscard]] nlohmann::ordered_json plot_json(const PanelPlot& plot);
/// The plot of such JSON. Throws what nlohmann throws where plot_json() did not write it.
[[nodiscard]] PanelPlot plot_from_json(const nlohmann::ordered_json& json);

} // namespace texelscope::workbench::plots
