#pragma once

#include "experiments/render/panel_plot.hpp"

#include <string>

namespace texelscope::cli {

/// Makes the folder where it is not there, parents included. Throws bad_input, naming the option, where that cannot be.
void make_output_folder(const std::string& path, const std::string& option);

/// Writes BASE.svg and BASE.png.
void write_plot(const std::string& base, const PanelPlot& plot);

} // namespace texelscope::cli
