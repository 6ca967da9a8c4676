#pragma once

#include "experiments/render/panel_plot.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// A point of a curve, and where draw() puts it.
struct PlacedPoint {
    std::size_t panel = 0;
    std::string curve;      ///< its name
    std::size_t number = 0; ///< in its curve
    DrawnPoint at;
    std::string about;
};

/// The points of all curves that draw() shows, with or without a mark.
[[nodiscard]] std::vector<PlacedPoint> placed_points(const PanelPlot& plot);

/// The areas of the panels in draw()'s drawing.
[[nodiscard]] std::vector<DrawnBox> panel_areas(const PanelPlot& plot);

} // namespace texelscope::experiments
