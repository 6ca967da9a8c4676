#include "workbench/network_studies/network_plots.hpp"

#include "base/number_text.hpp"
#include "networks/plan/memory_plan.hpp"
#include "workbench/network_studies/kernel_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

namespace texelscope::workbench::network_studies {
namespace {

/// A plot over the numbers of the kernels, in the order of running.
PanelPlot over_kernels(const JudgedNetwork& network)
{
    PanelPlot plot;
    plot.x_label = "kernel";
    plot.x_low = -0.5;
    plot.x_high = std::max(0.5, static_cast<double>(network.planned.plan.kernels.size()) - 0.5);
    for (const double tick : PlotAxis{plot.x_low, plot.x_high}.ticks(20)) {
        if (tick == std::floor(tick)) {
            plot.x_ticks.push_back(tick);
        }
    }
    plot.panel_width = 930;
    plot.panels.emplace_back();
    return plot;
}

} // namespace

PanelPlot memory_plot(const JudgedNetwork& network)
{
    const networks::MemoryPlan memory = memory_plan(network.planned.plan);
    const bool large = memory.alive_bytes >= 1 << 20;
    const double unit = large ? 1 << 20 : 1 << 10;
    PanelPlot plot = over_kernels(network);
    plot.left_label = large ? "MiB" : "KiB";
    PanelPlot::Bars alive{"needed while the kernel runs", 1, {}};
    for (std::size_t k = 0; k < memory.alive.size(); ++k) {
        alive.points.push_back({static_cast<double>(k), static_cast<double>(memory.alive[k]) / unit,
                                fmt::format("{}: {}", kernel_title(network.planned.plan, k),
                                            bytes_text(Bytes{memory.alive[k]}))});
    }
    plot.panels[0].bars.push_back(std::move(alive));
    const std::string takes =
        fmt::format("the plan takes {}", bytes_text(Bytes{memory.slot_bytes()}));
    // The line is drawn only up to so many times what is needed; beyond, the bars would be too low
    // to see.
    constexpr std::int64_t in_sight = 4;
    if (memory.slot_bytes() > in_sight * memory.alive_bytes) {
        plot.title = takes + ", far above this axis";
        return plot;
    }
    const double planned = static_cast<double>(memory.slot_bytes()) / unit;
    plot.panels[0].curves.push_back(
        {.name = takes,
         .colour = 0,
         .points = {{plot.x_low, planned, {}}, {plot.x_high, planned, {}}},
         .dashed = true});
    return plot;
}

std::optional<PanelPlot> hit_rate_plot(const JudgedNetwork& network)
{
    PanelPlot plot = over_kernels(network);
    plot.left_label = "hits";
    plot.left = PlotAxis{0, 1};
    plot.left_text = [](double share) { return percent_text(share); };
    for (const auto& [name, colour, cache] :
         {std::tuple("L1", 1, &SimulatedKernel::l1), std::tuple("L2", 2, &SimulatedKernel::l2)}) {
        PanelPlot::Curve curve{.name = name, .colour = colour, .line = false};
        for (std::size_t k = 0; k < network.simulated.size(); ++k) {
            const CacheStatistics& counts = network.simulated[k].*cache;
            if (counts.lookups > 0) {
                const double hits = 1 - counts.miss_rate();
                curve.points.push_back(
                    {static_cast<double>(k), hits,
                     fmt::format("{}: {} of {} lookups in {} hit",
                                 kernel_title(network.planned.plan, k), percent_text(hits),
                                 count_text(counts.lookups), name),
                     2.5});
            }
        }
        if (!curve.points.empty()) {
            plot.panels[0].curves.push_back(std::move(curve));
        }
    }
    return plot.panels[0].curves.empty() ? std::nullopt : std::optional(std::move(plot));
}

std::optional<PanelPlot> loss_plot(const JudgedNetwork& network)
{
    const std::vector<double>& losses = network.trained.losses;
    if (losses.size() < 2) {
        return std::nullopt;
    }
    PanelPlot plot;
    plot.x_label = "step";
    plot.x_low = 0;
    plot.x_high = static_cast<double>(losses.size()) + 1;
    for (const double tick : PlotAxis{plot.x_low, plot.x_high}.ticks(20)) {
        if (tick == std::floor(tick)) {
            plot.x_ticks.push_back(tick);
        }
    }
    plot.left_label = "loss";
    plot.panel_width = 930;
    constexpr std::size_t few_steps = 60;
    PanelPlot::Curve curve{.name = "", .colour = 1, .marks = losses.size() <= few_steps};
    for (std::size_t step = 0; step < losses.size(); ++step) {
        curve.points.push_back({static_cast<double>(step + 1), losses[step],
                                fmt::format("step {}: {:.6g}", step + 1, losses[step]), 2.5});
    }
    plot.panels.emplace_back().curves.push_back(std::move(curve));
    return plot;
}

std::optional<PanelPlot> agreement_plot(const JudgedNetwork& network, Judge x, Judge y)
{
    const auto of_x = network.times(x);
    const auto of_y = network.times(y);
    PanelPlot::Curve kernels{.name = "", .colour = 1, .look = DrawnMark::Look::ringed};
    for (std::size_t k = 0; k < of_x.size(); ++k) {
        if (of_x[k] && of_y[k]) {
            kernels.points.push_back(
                {*of_x[k], *of_y[k],
                 fmt::format("{}: {} {}, {} {}", kernel_title(network.planned.plan, k),
                             time_word(x), time_text(Nanoseconds{*of_x[k]}), time_word(y),
                             time_text(Nanoseconds{*of_y[k]})),
                 4});
        }
    }
    if (kernels.points.empty()) {
        return std::nullopt;
    }
    PanelPlot plot = scatter_plot({std::move(kernels)}, ScatterAxes::equals);
    plot.x_label = time_word(x);
    plot.left_label = time_word(y);
    plot.x_text = plot.left_text = [](double ns) { return time_text(Nanoseconds{ns}); };
    plot.panel_width = plot.panel_height = 236; // so that three fit in a row
    return plot;
}

} // namespace texelscope::workbench::network_studies
