#include "workbench/probes/tmmodel_plots.hpp"

#include "base/lists.hpp"
#include "workbench/probes/probe_plot.hpp"
#include "workbench/probes/tmmodel_occupancy.hpp"
#include "workbench/probes/tmmodel_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

constexpr double us = 1e-3;

/// Of one panel.
PanelPlot single_plot(const std::string& about, const std::string& device)
{
    PanelPlot plot;
    plot.title = plot_title(about, device);
    plot.panel_width = 560;
    return plot;
}

const ProbeCurve* curve_of(const ProbeResult& result, std::string_view name)
{
    const auto found = std::ranges::find(result.curves, name, &ProbeCurve::name);
    return found == result.curves.end() || found->points.empty() ? nullptr : &*found;
}

PanelPlot::Panel bars_of(const ProbeCurve& curve, std::string title)
{
    PanelPlot::Panel panel;
    panel.title = std::move(title);
    PanelPlot::Bars bars{"time", 6, {}};
    for (const ProbePoint& point : curve.points) {
        const double y = median(point) * us;
        bars.points.push_back({point.x, y, fmt::format("{:g}: {:.4g} us", point.x, y)});
    }
    for (const ProbeMark& mark : curve.marks) {
        panel.rules.push_back(mark.x);
    }
    panel.bars = {std::move(bars)};
    return panel;
}

/// The curves whose names start so, as bars.
PanelPlot bars_plot(const ProbeResult& result, const std::string& start, const std::string& about,
                    const std::string& device)
{
    PanelPlot plot;
    plot.title = about + ": " + device;
    plot.left_label = "time, us";
    plot.rule_label = "multiples of the occupancy found";
    plot.x_low = 0.3;
    plot.x_high = 1;
    for (const ProbeCurve& curve : result.curves) {
        if (curve.name.rfind(start, 0) == 0 && !curve.points.empty()) {
            plot.panels.push_back(bars_of(curve, curve.name.substr(start.size())));
            plot.x_label = curve.x_label;
            plot.x_high = std::max(plot.x_high, curve.points.back().x + 0.7);
        }
    }
    for (double x = 4; x <= plot.x_high; x += plot.x_high > 20 ? 8 : 4) {
        plot.x_ticks.push_back(x);
    }
    return plot;
}

} // namespace

std::vector<ProbePlot> tmmodel_walks_plots(const ProbeResult& result, const std::string& device)
{
    const ProbeCurve* walks = curve_of(result, walks_curve);
    if (walks == nullptr) {
        return {};
    }
    auto sorted = mapped(walks->points, [](const ProbePoint& point) { return &point; });
    std::ranges::stable_sort(sorted, {}, [](const ProbePoint* point) { return median(*point); });
    PanelPlot plot = single_plot("Random walks", device);
    plot.x_label = "walks, from the quickest to the slowest";
    plot.left_label = walks->y_label;
    plot.x_high = static_cast<double>(std::max<std::size_t>(2, sorted.size()));
    PanelPlot::Curve middle{"median", 1, PanelPlot::Axis::left, {}, false};
    for (const ProbePoint* point : sorted) {
        middle.points.push_back(
            {static_cast<double>(middle.points.size() + 1), median(*point), {}});
    }
    for (double x = 50; x <= plot.x_high; x += 50) {
        plot.x_ticks.push_back(x);
    }
    PanelPlot::Panel panel;
    panel.curves = extremes(sorted, [](std::size_t i) { return static_cast<double>(i + 1); });
    panel.curves.push_back(std::move(middle));
    plot.panels = {std::move(panel)};
    return {{"walks", std::move(plot)}};
}

std::vector<ProbePlot> tmmodel_warps_plots(const ProbeResult& result, const std::string& device)
{
    if (result.curves.empty() || result.curves.front().points.empty()) {
        return {};
    }
    PanelPlot plot;
    plot.title = "Scaling of access patterns with the lanes of a warp: " + device;
    plot.x_label = "lanes of the warp";
    plot.left_label = "throughput (1 = column, 1 lane)";
    plot.rule_label = "reuse distance x lanes = lines of L1";
    plot.x_low = 0;
    const double unit = median(result.curves.front().points.front());
    int colour = 1;
    for (const ProbeCurve& curve : result.curves) {
        PanelPlot::Panel panel;
        panel.title = curve.name;
        PanelPlot::Curve ours{"measured", colour++, PanelPlot::Axis::left, {}};
        for (const ProbePoint& point : curve.points) {
            const double y = point.x * unit / median(point);
            ours.points.push_back(
                {point.x, y, fmt::format("{}, {:g} lanes: {:.3g}", curve.name, point.x, y)});
        }
        const double lanes = curve.points.back().x;
        const double one = ours.points.front().y;
        PanelPlot::Curve perfect{
            "perfect scaling", 0, PanelPlot::Axis::left, {{1, one, {}}, {lanes, one * lanes, {}}}};
        plot.x_high = std::max(2.0, lanes);
        for (const ProbeMark& mark : curve.marks) {
            if (mark.x <= plot.x_high) {
                panel.rules.push_back(mark.x);
            }
        }
        ours.name = curve.name;
        panel.curves = {std::move(perfect), std::move(ours)};
        plot.panels.push_back(std::move(panel));
    }
    for (int quarter = 1; quarter <= 4 && plot.x_high >= 4; ++quarter) {
        plot.x_ticks.push_back(plot.x_high / 4 * quarter);
    }
    return {{"scaling", std::move(plot)}};
}

std::vector<ProbePlot> tmmodel_occupancy_plots(const ProbeResult& result, const std::string& device)
{
    std::vector<ProbePlot> plots;
    PanelPlot group =
        bars_plot(result, "one work-group, ", "Time over the warps of one work-group", device);
    PanelPlot groups =
        bars_plot(result, "work-groups, ", "Time over work-groups of one warp", device);
    if (!group.panels.empty()) {
        plots.push_back({"one-group", std::move(group)});
    }
    if (!groups.panels.empty()) {
        plots.push_back({"groups", std::move(groups)});
    }
    const ProbeCurve* same = curve_of(result, same_data_curve);
    const ProbeCurve* own = curve_of(result, own_data_curve);
    if (same != nullptr && own != nullptr) {
        PanelPlot plot = single_plot("Shared and own data of warps", device);
        plot.x_label = same->x_label;
        plot.left_label = "time, us";
        plot.x_high = std::max(2.0, same->points.back().x);
        PanelPlot::Panel panel;
        int colour = 1;
        for (const auto& [curve, name] :
             {std::pair(own, "each its own texels"), std::pair(same, "all the same texels")}) {
            PanelPlot::Curve line{name, colour++, PanelPlot::Axis::left, {}};
            for (const ProbePoint& point : curve->points) {
                line.points.push_back({point.x, median(point) * us, {}});
            }
            panel.curves.push_back(std::move(line));
        }
        for (double x = 1; x <= plot.x_high; ++x) {
            plot.x_ticks.push_back(x);
        }
        plot.panels = {std::move(panel)};
        plots.push_back({"sharing", std::move(plot)});
    }
    return plots;
}

} // namespace texelscope::workbench::probes
