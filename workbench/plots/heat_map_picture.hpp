#pragma once

#include "sim/result/heat_map.hpp"
#include "workbench/plots/colour_map.hpp"
#include "workbench/plots/png.hpp"

#include <string>

namespace texelscope::workbench::plots {

/// The colour of texels that were never touched (count 0): a neutral grey that the colour map does
/// not have.
inline constexpr Rgb untouched_colour{214, 214, 214};

/// Where texels lie in the picture of a heat map. A cell shows texels_x x texels_y texels, as a
/// rectangle of cell_width x cell_height pixels; the top left corner of cell (0, 0) is at (left,
/// top).
struct HeatMapPlacement {
    int left = 0;
    int top = 0;
    int columns = 0; ///< cells
    int rows = 0;    ///< cells
    int cell_width = 1;
    int cell_height = 1;
    int texels_x = 1;
    int texels_y = 1;
};
/// The placement in a picture of at most `largest` pixels along a side. If the map has no more
/// texels than that along a side, cells are single texels, as large as fit. Cells are square,
/// unless one side of the map is at least 8 times the other: then the short side is stretched, up
/// to an eighth of the long one, so that it can be seen. Throws bad_input for an empty map or
/// `largest` < 16.
[[nodiscard]] HeatMapPlacement heat_map_placement(Extent2D extent, int largest);

/// A heat map with texel coordinates and a colour bar, labelled with the quantity and the counts. A
/// cell that stands for several texels has the colour of their maximum, so that no hot texel is
/// lost. Throws bad_input as heat_map_placement() does, or where the map has not one count for each
/// texel.
[[nodiscard]] Picture heat_map_picture(const HeatMap& map, const std::string& title,
                                       ColourScale scale, int largest = 1024);
/// The picture of means, on a scale that starts at 0. Texels without a mean have the colour of
/// untouched ones, and the legend says "none".
[[nodiscard]] Picture heat_map_picture(const HeatMeans& map, const std::string& title,
                                       ColourScale scale, int largest = 1024);

} // namespace texelscope::workbench::plots
