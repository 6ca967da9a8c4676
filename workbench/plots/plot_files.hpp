#pragma once

#include "workbench/plots/panel_plot.hpp"

#include <string>

namespace texelscope::workbench::plots {

/// Writes BASE.svg and BASE.png.
void write_plot(const std::string& base, const PanelPlot& plot);

} // namespace texelscope::workbench::plots
