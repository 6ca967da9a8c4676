#include "gui/plots/plot_range.hpp"

#include "experiments/render/plot_axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace texelscope::gui {
namespace {

using CurvePoint = PanelPlot::Point;

double place(double value, bool log)
{
    return log ? std::log(value) : value;
}

double value_at(double place, bool log)
{
    return log ? std::exp(place) : place;
}

/// A range in which equal lengths are equally long on the axis.
struct Places {
    double low;
    double high;

    [[nodiscard]] double length() const { return high - low; }
};

Places places_of(const PanelPlot& plot, PlotRange range)
{
    return {place(range.low, plot.x_log), place(range.high, plot.x_log)};
}

PlotRange range_of(const PanelPlot& plot, double low, double length)
{
    const Places whole = places_of(plot, {plot.x_low, plot.x_high});
    const double from = std::clamp(low, whole.low, whole.high - length);
    const double to = from + length;
    // The ends themselves, without the rounding of exp and log.
    return {from <= whole.low ? plot.x_low : value_at(from, plot.x_log),
            to >= whole.high ? plot.x_high : value_at(to, plot.x_log)};
}

/// Where the line between two points crosses an x.
CurvePoint crossing(const PanelPlot& plot, PanelPlot::Axis axis, const CurvePoint& a, const CurvePoint& b, double x)
{
    const double from = place(a.x, plot.x_log);
    const double share = (place(x, plot.x_log) - from) / (place(b.x, plot.x_log) - from);
    const bool log = plot.left_log && axis == PanelPlot::Axis::left;
    return {x, value_at(place(a.y, log) + share * (place(b.y, log) - place(a.y, log)), log), {}};
}

std::vector<CurvePoint> cut(const PanelPlot& plot, const PanelPlot::Curve& curve, PlotRange range)
{
    std::vector<CurvePoint> kept;
    const auto inside = [&](const CurvePoint& point) { return point.x >= range.low && point.x <= range.high; };
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
        const CurvePoint& point = curve.points[i];
        if (i > 0) {
            const CurvePoint& last = curve.points[i - 1];
            std::vector<CurvePoint> crossings;
            for (const double end : {range.low, range.high}) {
                if ((last.x < end && point.x > end) || (last.x > end && point.x < end)) {
                    crossings.push_back(crossing(plot, curve.axis, last, point, end));
                }
            }
            if (last.x > point.x) {
                std::reverse(crossings.begin(), crossings.end());
            }
            kept.insert(kept.end(), crossings.begin(), crossings.end());
        }
        if (inside(point)) {
            kept.push_back(point);
        }
    }
    return kept;
}

void hide_outside(std::vector<CurvePoint>& points, PlotRange range)
{
    for (CurvePoint& point : points) {
        if (point.x < range.low || point.x > range.high) {
            point.y = std::numeric_limits<double>::quiet_NaN();
        }
    }
}

/// Keeps the ticks for which `keep` holds, given their number and their x.
template <class Keep>
void keep_ticks(PanelPlot& plot, const Keep& keep)
{
    std::vector<double> ticks;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < plot.x_ticks.size(); ++i) {
        if (keep(i, plot.x_ticks[i])) {
            ticks.push_back(plot.x_ticks[i]);
            if (i < plot.x_tick_names.size()) {
                names.push_back(plot.x_tick_names[i]);
            }
        }
    }
    plot.x_ticks = std::move(ticks);
    plot.x_tick_names = std::move(names);
}

} // namespace

PlotRange zoomed(const PanelPlot& plot, PlotRange range, double factor, double share)
{
    constexpr double deepest = 1000;
    const Places now = places_of(plot, range);
    const double whole = places_of(plot, {plot.x_low, plot.x_high}).length();
    const double length = std::clamp(now.length() / factor, whole / deepest, whole);
    return range_of(plot, now.low + share * (now.length() - length), length);
}

PlotRange moved(const PanelPlot& plot, PlotRange range, double share)
{
    const Places now = places_of(plot, range);
    return range_of(plot, now.low + share * now.length(), now.length());
}

PanelPlot part_of(const PanelPlot& plot, PlotRange range)
{
    PanelPlot part = plot;
    part.x_low = range.low;
    part.x_high = range.high;
    keep_ticks(part, [&](std::size_t, double x) { return x >= range.low && x <= range.high; });
    if (plot.x_tick_names.empty() && part.x_ticks.size() < 3) {
        part.x_ticks = PlotAxis{range.low, range.high, plot.x_log}.ticks(6);
    }
    for (PanelPlot::Panel& panel : part.panels) {
        for (PanelPlot::Curve& curve : panel.curves) {
            if (curve.line) {
                curve.points = cut(plot, curve, range);
            } else {
                hide_outside(curve.points, range);
            }
        }
    }
    return part;
}

bool has_bars(const PanelPlot& plot)
{
    return std::any_of(plot.panels.begin(), plot.panels.end(),
                       [](const PanelPlot::Panel& panel) { return !panel.bars.empty(); });
}

} // namespace texelscope::gui
