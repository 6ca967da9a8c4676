#include "experiments/probes/probe_plot.hpp"

#include "experiments/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace texelscope {

PanelPlot probe_plot(const ProbeCurve& curve, const std::string& device)
{
    const auto place = [&](double x) { return curve.log_x ? std::log2(std::max(x, 1e-9)) : x; };
    PanelPlot plot;
    constexpr std::size_t widest = 60; // letters that fit above the plot
    plot.title = fmt::format("{}, {}", curve.name, device).substr(0, widest);
    plot.x_label = curve.x_label;
    plot.left_label = curve.y_label;
    plot.panel_width = 560;
    PanelPlot::Curve middle{"median", 1, PanelPlot::Axis::left, {}, true};
    PanelPlot::Curve least{"least sample", 6, PanelPlot::Axis::left, {}, false};
    PanelPlot::Curve most{"largest sample", 2, PanelPlot::Axis::left, {}, false};
    for (const ProbePoint& point : curve.points) {
        const auto [low, high] = std::minmax_element(point.samples.begin(), point.samples.end());
        if (low == point.samples.end()) {
            continue;
        }
        const double x = place(point.x);
        const double y = median(point);
        middle.points.push_back({x, y, fmt::format("{:g}: {:.4g}", point.x, y)});
        least.points.push_back({x, *low, {}});
        most.points.push_back({x, *high, {}});
    }
    PanelPlot::Panel panel;
    plot.x_low = middle.points.empty() ? 0 : middle.points.front().x;
    plot.x_high = std::max(plot.x_low + 1, middle.points.empty() ? 1 : middle.points.back().x);
    for (const ProbeMark& mark : curve.marks) {
        const double x = place(mark.x);
        if (x >= plot.x_low && x <= plot.x_high) {
            panel.rules.push_back(x);
        }
        if (!mark.label.empty()) {
            plot.rule_label = mark.label;
        }
    }
    panel.curves = {std::move(least), std::move(most), std::move(middle)};
    plot.panels = {std::move(panel)};
    if (curve.log_x) {
        const double step = std::max(1.0, std::ceil((plot.x_high - plot.x_low) / 10));
        for (double x = std::ceil(plot.x_low); x <= plot.x_high; x += step) {
            plot.x_ticks.push_back(x);
            plot.x_tick_names.push_back(tick_text(std::exp2(x)));
        }
    } else {
        const LinearAxis axis = linear_axis(plot.x_low, plot.x_high, 8);
        for (double x = axis.low; x <= plot.x_high; x += axis.step) {
            if (x >= plot.x_low) {
                plot.x_ticks.push_back(x);
            }
        }
    }
    return plot;
}

std::vector<ProbePlot> plots_of(const Probe& probe, const ProbeResult& result, const std::string& device)
{
    if (probe.plots) {
        return probe.plots(result, device);
    }
    std::vector<ProbePlot> plots;
    for (const ProbeCurve& curve : result.curves) {
        plots.push_back({curve.name, probe_plot(curve, device)});
    }
    return plots;
}

} // namespace texelscope
