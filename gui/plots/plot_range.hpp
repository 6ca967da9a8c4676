#pragma once

#include "experiments/render/panel_plot.hpp"

namespace texelscope::gui {

/// A part of the x axis.
struct PlotRange {
    double low = 0;
    double high = 1;
};

/// The range zoomed around the value at `share` of its length, which stays there, in the plot's own scale of x; never
/// beyond the plot's range, nor less than a thousandth of it.
[[nodiscard]] PlotRange zoomed(const PanelPlot& plot, PlotRange range, double factor, double share);
/// The range moved along x by a share of its length, inside of the plot's.
[[nodiscard]] PlotRange moved(const PanelPlot& plot, PlotRange range, double share);

/// The part of a plot of curves that is in the range. Lines are cut at its ends; points of curves without lines keep
/// their numbers.
[[nodiscard]] PanelPlot part_of(const PanelPlot& plot, PlotRange range);

[[nodiscard]] bool has_bars(const PanelPlot& plot);

} // namespace texelscope::gui
