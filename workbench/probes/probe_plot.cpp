#include "workbench/probes/probe_plot.hpp"

#include "base/lists.hpp"
#include "workbench/plots/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

double place(const ProbeCurve& curve, double x)
{
    return curve.log_x ? std::log2(std::max(x, 1e-9)) : x;
}

/// A plot with the axes of the curve and nothing in it but an empty panel.
PanelPlot empty_plot(const ProbeCurve& curve, const std::string& title)
{
    PanelPlot plot;
    plot.title = title;
    plot.x_label = curve.x_label;
    plot.left_label = curve.y_label;
    plot.panel_width = 560;
    plot.panels.resize(1);
    return plot;
}

PanelPlot::Curve medians(const ProbeCurve& curve, const std::string& name, int colour)
{
    PanelPlot::Curve middle{name, colour};
    for (const ProbePoint& point : curve.points) {
        if (!point.samples.empty()) {
            const double y = median(point);
            middle.points.push_back(
                {place(curve, point.x), y, fmt::format("{:g}: {:.4g}", point.x, y)});
        }
    }
    return middle;
}

void add_rules(PanelPlot& plot, const ProbeCurve& curve)
{
    for (const ProbeMark& mark : curve.marks) {
        const double x = place(curve, mark.x);
        if (x >= plot.x_low && x <= plot.x_high) {
            plot.panels[0].rules.push_back(x);
        }
        if (!mark.label.empty()) {
            plot.rule_label = mark.label;
        }
    }
}

/// From the least to the largest x of what is drawn.
void set_axis(PanelPlot& plot, bool log_x)
{
    bool first = true;
    for (const PanelPlot::Curve& curve : plot.panels[0].curves) {
        for (const PanelPlot::Point& point : curve.points) {
            plot.x_low = first ? point.x : std::min(plot.x_low, point.x);
            plot.x_high = first ? point.x : std::max(plot.x_high, point.x);
            first = false;
        }
    }
    plot.x_high = std::max(plot.x_low + 1, plot.x_high);
    if (log_x) {
        const double step = std::max(1.0, std::ceil((plot.x_high - plot.x_low) / 10));
        for (double x = std::ceil(plot.x_low); x <= plot.x_high; x += step) {
            plot.x_ticks.push_back(x);
            plot.x_tick_names.push_back(fmt::format("{:.0f}", std::exp2(x))); // 262144, not 2.62e5
        }
        return;
    }
    plot.x_ticks = PlotAxis{plot.x_low, plot.x_high}.ticks(8);
}

PanelPlot single_plot(const ProbeCurve& curve, const std::string& device)
{
    PanelPlot plot = empty_plot(curve, plot_title(curve.name, device));
    const auto points = mapped(curve.points, [](const ProbePoint& point) { return &point; });
    plot.panels[0].curves =
        extremes(points, [&](std::size_t i) { return place(curve, points[i]->x); });
    plot.panels[0].curves.push_back(medians(curve, "median", 1));
    set_axis(plot, curve.log_x);
    add_rules(plot, curve);
    return plot;
}

PanelPlot family_plot(const std::vector<const ProbeCurve*>& members, const std::string& device)
{
    constexpr std::size_t most_curves = 4; // that the legend has room for
    PanelPlot plot = empty_plot(*members.front(), plot_title(members.front()->family, device));
    // Of a large family some are drawn, evenly chosen, with the first and the last.
    const std::size_t shown = std::min(most_curves, members.size());
    std::vector<const ProbeCurve*> drawn;
    for (std::size_t i = 0; i < shown; ++i) {
        drawn.push_back(members[shown == 1 ? 0 : i * (members.size() - 1) / (shown - 1)]);
        plot.panels[0].curves.push_back(
            medians(*drawn.back(), drawn.back()->name, static_cast<int>(i) + 1));
    }
    set_axis(plot, members.front()->log_x);
    for (const ProbeCurve* curve : drawn) {
        add_rules(plot, *curve);
    }
    return plot;
}

} // namespace

std::vector<ProbePlot> plots_of(const Probe& probe, const ProbeResult& result,
                                const std::string& device)
{
    if (probe.plots) {
        return probe.plots(result, device);
    }
    std::vector<ProbePlot> plots;
    std::map<std::string, std::vector<const ProbeCurve*>> families;
    for (const ProbeCurve& curve : result.curves) {
        if (curve.family.empty()) {
            plots.push_back({curve.name, single_plot(curve, device)});
        } else {
            families[curve.family].push_back(&curve);
        }
    }
    for (const auto& [family, members] : families) {
        plots.push_back({family, family_plot(members, device)});
    }
    return plots;
}

std::string plot_title(const std::string& what, const std::string& device)
{
    constexpr std::size_t widest = 56;
    const std::string title = what + ", " + device;
    return title.size() <= widest
               ? title
               : title.substr(0, title.find_last_not_of(' ', widest - 4) + 1) + "...";
}

std::vector<PanelPlot::Curve> extremes(const std::vector<const ProbePoint*>& points,
                                       const std::function<double(std::size_t)>& place)
{
    // Samples of more than three times the largest median would press everything else to the axis:
    // they are cut off, and the legend says so.
    constexpr double far = 3;
    PanelPlot::Curve least{"least sample", 6, PanelPlot::Axis::left, {}, false};
    PanelPlot::Curve most{"largest sample", 2, PanelPlot::Axis::left, {}, false};
    double ceiling = 0;
    for (const ProbePoint* point : points) {
        ceiling = std::max(ceiling, point->samples.empty() ? 0 : far * median(*point));
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto [low, high] =
            std::minmax_element(points[i]->samples.begin(), points[i]->samples.end());
        if (low == points[i]->samples.end()) {
            continue;
        }
        least.points.push_back({place(i), *low, {}});
        most.points.push_back({place(i), std::min(*high, ceiling), {}});
        if (*high > ceiling) {
            most.name = "largest sample, cut off";
        }
    }
    return {std::move(least), std::move(most)};
}

} // namespace texelscope::workbench::probes
