#pragma once

#include "base/layers.hpp"

#include <string>
#include <vector>

namespace texelscope::experiments {

// Plots as SVG elements to put into an HTML page. They take the page's text colour (currentColor) and bring their own
// colours for data, of the palette of Okabe and Ito that colour-blind readers can tell apart; a style sheet may
// override them by the classes series-0, series-1, marked. Every mark has a <title>, which browsers show on hover.
// All text is escaped; a value that is not finite is left out.

/// Groups of bars side by side: one group for each category, one bar in it for each series.
struct BarPlot {
    std::string title;
    std::string unit; ///< of the values, written beside the axis
    std::vector<std::string> categories;
    struct Bar {
        double value = 0;
        std::string about; ///< shown on hover
    };
    struct Series {
        std::string name;
        std::vector<Bar> bars; ///< one for each category
    };
    std::vector<Series> series; ///< at most four
};
/// Throws bad_input where a series has not one bar for each category.
[[nodiscard]] std::string to_svg(const BarPlot& plot);

/// One point for each pair, both axes logarithmic, with the line of equal values where it crosses the plot.
struct ScatterPlot {
    std::string title;
    std::string x_label;
    std::string y_label;
    struct Point {
        double x = 0;
        double y = 0;
        std::string about;   ///< shown on hover
        bool marked = false; ///< drawn as a cross in the warning colour
    };
    std::vector<Point> points; ///< those that are not positive on both axes are left out
};
[[nodiscard]] std::string to_svg(const ScatterPlot& plot);

} // namespace texelscope::experiments
