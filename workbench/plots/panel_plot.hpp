#pragma once

#include "workbench/plots/drawing.hpp"
#include "workbench/plots/plot_axis.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::plots {

/// Panels with common axes, side by side or one above the other: x along each panel, values on the
/// left axis, and where a curve asks for it a second axis on the right. Values that are not finite
/// are left out.
struct PanelPlot {
    enum class Axis { left, right };
    struct Point {
        double x = 0;
        double y = 0;
        std::string about;   ///< shown on hover
        double radius = 3.2; ///< of its mark
    };
    /// Points joined by lines, in the order given.
    struct Curve {
        std::string name; ///< in the legend, once for all panels
        /// Number in the palette: 0 is black and without marks, for a line to compare with.
        int colour = 0;
        Axis axis = Axis::left;
        std::vector<Point> points = {};
        bool marks = true; ///< one at every point, unless the colour is 0
        bool line = true;  ///< joined; false: marks alone
        DrawnMark::Look look = DrawnMark::Look::disc;
        bool dashed = false;
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
    bool x_log = false; ///< logarithmic: x_low is positive then
    /// The left axis in whole decades: values that are not positive are left out.
    bool left_log = false;
    std::vector<double> x_ticks;
    std::vector<std::string> x_tick_names; ///< of each, up to two lines; none: the numbers
    double panel_width = 208;
    double panel_height = 230;
    std::vector<Panel> panels;
    bool stacked = false;         ///< the panels one above the other
    bool legend = true;           ///< whether it has one
    std::optional<PlotAxis> left; ///< what the left axis is, whatever the values
    /// Numbers along x in words; then without x_ticks they are chosen.
    std::function<std::string(double)> x_text;
    std::function<std::string(double)> left_text; ///< numbers on the left axis in words
};

/// The palette of Okabe and Ito, which colour-blind readers can tell apart: 0 black, 1 blue, 2
/// orange, 3 bluish green, 4 reddish purple, 5 vermillion, 6 sky blue, 7 yellow. Other numbers are
/// black.
[[nodiscard]] Rgb plot_colour(int number);
/// The number in the palette of one of many series, from 0: each colour but black in turn, over and
/// over.
[[nodiscard]] int series_colour(std::size_t series);

/// A point of a curve, and where it is in the drawing.
struct PlacedPoint {
    std::size_t panel = 0;
    std::string curve;      ///< its name
    std::size_t number = 0; ///< in its curve
    DrawnPoint at;
    std::string about;
};
struct PlacedBar {
    std::size_t panel = 0;
    std::size_t series = 0; ///< number in Panel::bars
    std::size_t number = 0; ///< in its series
    DrawnBox box;
};

/// A plot as a drawing, and where in it things are.
struct PlacedPlot {
    Drawing drawing;
    std::vector<PlacedPoint> points; ///< all that are shown, with or without a mark
    std::vector<PlacedBar> bars;
    std::vector<DrawnBox> areas; ///< of the panels
    PlotAxis x;
    PlotAxis left;

    [[nodiscard]] DrawnPoint place(std::size_t panel, double x_value, double left_value) const;
};

/// Throws bad_input where there is no panel, or x_low is not below x_high, or not positive on a
/// logarithmic axis.
[[nodiscard]] PlacedPlot placed(const PanelPlot& plot);
[[nodiscard]] Drawing draw(const PanelPlot& plot);

/// The plot with panels of such a size that its drawing is that large, but not too small for their
/// numbers; where it is low, without a legend. Throws as placed() does.
[[nodiscard]] PanelPlot fitted(PanelPlot plot, double width, double height);

/// Groups of bars side by side, along x one group for each category; `about` of the bars gives
/// their tips, x is not used. `titles`: of the panels; none where there are none. Throws bad_input
/// where a series has not one bar for each category.
[[nodiscard]] PanelPlot grouped_bars(const std::vector<std::string>& categories,
                                     std::vector<std::vector<PanelPlot::Bars>> panels,
                                     const std::vector<std::string>& titles = {});

/// How the axes of points over each other are related.
enum class ScatterAxes {
    one_scale, ///< both are the same, and the line of equal values is drawn
    /// Each has its own, and the line of equal values is drawn where it crosses the plot.
    equals,
    ratio,     ///< y is a ratio: the line at 1 is drawn
    unrelated, ///< each has its own
};
/// A panel of points over two logarithmic axes, which hold all points; those without a logarithm
/// are left out.
[[nodiscard]] PanelPlot scatter_plot(std::vector<PanelPlot::Curve> curves, ScatterAxes axes);

} // namespace texelscope::workbench::plots
