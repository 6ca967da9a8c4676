#pragma once

#include "workbench/plots/drawing.hpp"
#include "workbench/plots/plot_axis.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::plots {

/// A plot as a value: panels with common axes, side by side, in one row or several. x runs along
/// each panel; values are on the left axis, and those of a curve that asks for it on a second axis
/// on the right.
///
/// What goes in: titles, ranges, and the curves, bars and rules of each panel, by plain members.
/// What comes out: draw() makes a Drawing of it, which the window, SVG files and pictures show
/// alike; placed() tells where each point and bar is in that drawing, for hovering and selection.
/// grouped_bars() and scatter_plot() make plots of common kinds, fitted() resizes one.
///
/// Order of calls: fill in a plot, call fitted() where a size is wanted, then draw() or placed().
///
/// What always holds: values that are not finite are left out, and all panels share the same axes.
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
        /// In the legend; curves of one name in several panels have one entry.
        std::string name;
        /// Number in the palette of plot_colour(). Curves of colour 0 are black and without marks:
        /// lines to compare others with.
        int colour = 0;
        Axis axis = Axis::left;
        std::vector<Point> points = {};
        bool marks = true; ///< whether points have marks; those of colour 0 never do
        bool line = true;  ///< whether points are joined; false: marks alone
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
    /// A logarithmic left axis of whole decades: values that are not positive are left out.
    bool left_log = false;
    std::vector<double> x_ticks;
    /// Text of each tick, up to two lines; none: the numbers themselves.
    std::vector<std::string> x_tick_names;
    double panel_width = 208;
    double panel_height = 230;
    std::vector<Panel> panels;
    std::size_t columns = 0;      ///< panels side by side in a row; 0: all of them
    bool legend = true;           ///< whether there is a legend
    std::optional<PlotAxis> left; ///< the left axis; nothing: it is chosen to hold the values
    /// Panels of a row, 1 or more: `columns`, as far as there are so many.
    [[nodiscard]] std::size_t across() const;
    /// Text of a number along x. Where it is given and x_ticks is empty, ticks are chosen.
    std::function<std::string(double)> x_text;
    std::function<std::string(double)> left_text; ///< text of a number on the left axis
};

/// The palette of Okabe and Ito, which colour-blind readers can tell apart: 0 black, 1 blue, 2
/// orange, 3 bluish green, 4 reddish purple, 5 vermillion, 6 sky blue, 7 yellow. Other numbers are
/// black.
[[nodiscard]] Rgb plot_colour(int number);
/// The palette number of series number `series`, from 0 on: each colour but black in turn, over and
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

/// A plot as a drawing, and where its points, bars and panels are in it.
struct PlacedPlot {
    Drawing drawing;
    std::vector<PlacedPoint> points; ///< all that are shown, with or without a mark
    std::vector<PlacedBar> bars;
    std::vector<DrawnBox> areas; ///< area of each panel
    PlotAxis x;
    PlotAxis left;

    [[nodiscard]] DrawnPoint place(std::size_t panel, double x_value, double left_value) const;
};

/// Throws bad_input where there is no panel, or x_low is not below x_high, or not positive on a
/// logarithmic axis.
[[nodiscard]] PlacedPlot placed(const PanelPlot& plot);
[[nodiscard]] Drawing draw(const PanelPlot& plot);

/// The plot with its panels resized such that its drawing has that size, though never too small for
/// the numbers beside the axes. A low plot loses its legend. Throws as placed() does.
[[nodiscard]] PanelPlot fitted(PanelPlot plot, double width, double height);

/// Bars side by side, with one group along x for each category. `panels`: for each panel its series
/// of bars; `about` of a bar is its hover text, and its x is not used. `titles`: of the panels, or
/// none. Throws bad_input where a series does not have one bar for each category.
[[nodiscard]] PanelPlot grouped_bars(const std::vector<std::string>& categories,
                                     std::vector<std::vector<PanelPlot::Bars>> panels,
                                     const std::vector<std::string>& titles = {});

/// How the two axes of a scatter plot are related.
enum class ScatterAxes {
    one_scale, ///< both have the same scale, and the line of equal values is drawn
    /// Each axis has its own scale, and the line of equal values is drawn where it crosses the
    /// plot.
    equals,
    ratio,     ///< y is a ratio: the line at 1 is drawn
    unrelated, ///< each axis has its own scale
};
/// One panel of points over two logarithmic axes that hold all points. Points with a coordinate
/// that is not positive have no logarithm and are left out.
[[nodiscard]] PanelPlot scatter_plot(std::vector<PanelPlot::Curve> curves, ScatterAxes axes);

} // namespace texelscope::workbench::plots
