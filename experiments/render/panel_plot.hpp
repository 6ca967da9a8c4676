#pragma once

#include "experiments/render/drawing.hpp"

#include <string>
#include <vector>

namespace texelscope::experiments {

/// Panels side by side with common axes: x along each panel, values on the left axis, and where a curve asks for it a
/// second axis on the right. Values that are not finite are left out.
struct PanelPlot {
    enum class Axis { left, right };
    struct Point {
        double x = 0;
        double y = 0;
        std::string about;   ///< shown on hover in an SVG
        double radius = 3.2; ///< of its disc
    };
    /// Points joined by lines, in the order given.
    struct Curve {
        std::string name; ///< in the legend, once for all panels
        int colour = 0;   ///< number in the palette: 0 is black and without marks, for a line to compare with
        Axis axis = Axis::left;
        std::vector<Point> points;
        bool marks = true; ///< a disc at every point, unless the colour is 0
        bool line = true;  ///< joined; false: discs alone
    };
    /// Bars on the left axis from zero, each 0.8 wide around its x.
    struct Bars {
        std::string name;
        int colour = 1;
        std::vector<Point> points;
    };
    struct Panel {
        std::string title;
        std::vector<Bars> bars;
        std::vector<Curve> curves;
        std::vector<double> rules; ///< places along x, marked by a dashed line from top to bottom
    };

    std::string title;
    std::string x_label;
    std::string left_label;
    std::string right_label; ///< empty where no curve is on the right
    std::string rule_label;  ///< what the dashed lines mean; in the legend
    double x_low = 0;
    double x_high = 1;
    bool x_log = false;    ///< logarithmic: x_low is positive then
    bool left_log = false; ///< the left axis in whole decades: values that are not positive are left out
    std::vector<double> x_ticks;
    std::vector<std::string> x_tick_names; ///< of each, up to two lines; none: the numbers
    double panel_width = 208;
    double panel_height = 230;
    std::vector<Panel> panels;
};

/// The palette of Okabe and Ito, which colour-blind readers can tell apart: 0 black, 1 blue, 2 orange, 3 bluish green,
/// 4 reddish purple, 5 vermillion, 6 sky blue. Other numbers are black.
[[nodiscard]] Rgb plot_colour(int number);
/// The number in the palette of one of many series, from 0: each colour but black in turn, over and over.
[[nodiscard]] int series_colour(std::size_t series);

/// Throws bad_input where there is no panel, or x_low is not below x_high, or not positive on a logarithmic axis.
[[nodiscard]] Drawing draw(const PanelPlot& plot);

} // namespace texelscope::experiments
