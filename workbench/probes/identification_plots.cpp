#include "workbench/probes/identification_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::workbench::probes {
namespace {

/// A walk's three latencies, in words.
std::string walk_about(const MeasuredWalks& measured, const Identification& identification,
                       std::size_t walk)
{
    const double fitted = identification.explanations.front().predicted[walk];
    const double ns = measured.ns_per_read[walk];
    return fmt::format("walk {}: measured {:.1f} ns, fitted {:.1f} ({:+.1f} %), held out {:.1f}",
                       measured.walks[walk].number, ns, fitted, 100 * (fitted / ns - 1),
                       identification.held_out_predicted[walk]);
}

} // namespace

PanelPlot walks_plot(const MeasuredWalks& measured, const Identification& identification)
{
    PanelPlot::Curve by_device{"measured", 1,     PanelPlot::Axis::left,  {},
                               true,       false, DrawnMark::Look::ringed};
    PanelPlot::Curve fitted{"fitted", 2,     PanelPlot::Axis::left, {},
                            true,     false, DrawnMark::Look::cross};
    PanelPlot::Curve held_out{"held out", 3, PanelPlot::Axis::left, {}, true, false};
    std::vector<std::size_t> order(measured.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {},
                             [&](std::size_t walk) { return measured.ns_per_read[walk]; });
    for (std::size_t place = 0; place < order.size(); ++place) {
        const std::size_t i = order[place];
        const auto x = static_cast<double>(place + 1);
        const std::string words = walk_about(measured, identification, i);
        by_device.points.push_back({x, measured.ns_per_read[i], words, 4});
        fitted.points.push_back({x, identification.explanations.front().predicted[i], words});
        held_out.points.push_back({x, identification.held_out_predicted[i], words, 1.6});
    }
    PanelPlot plot;
    plot.title = "latency of the walks: measured, and of the best candidate";
    plot.x_label = "walks, from the quickest to the slowest";
    plot.left_label = "ns per read";
    plot.panel_width = 560;
    plot.x_low = 0;
    plot.x_high = static_cast<double>(measured.size()) + 1;
    plot.x_ticks = PlotAxis{plot.x_low, plot.x_high}.ticks(8);
    plot.panels.push_back(
        {{}, {}, {std::move(by_device), std::move(fitted), std::move(held_out)}, {}});
    return plot;
}

PanelPlot fit_plot(const MeasuredWalks& measured, const Identification& identification)
{
    PanelPlot::Curve held_out{"held out", 3, PanelPlot::Axis::left, {}, true, false};
    PanelPlot::Curve fitted{"fitted", 2,     PanelPlot::Axis::left, {},
                            true,     false, DrawnMark::Look::cross};
    for (std::size_t i = 0; i < measured.size(); ++i) {
        const double ns = measured.ns_per_read[i];
        const std::string words = walk_about(measured, identification, i);
        held_out.points.push_back({ns, identification.held_out_predicted[i], words});
        fitted.points.push_back({ns, identification.explanations.front().predicted[i], words});
    }
    PanelPlot plot = scatter_plot({std::move(held_out), std::move(fitted)}, ScatterAxes::one_scale);
    plot.title = "latency of the walks: fitted over measured";
    plot.x_label = "measured, ns per read";
    plot.left_label = "fitted, ns per read";
    return plot;
}

} // namespace texelscope::workbench::probes
