#include "gui/plots/launch_plots.hpp"

#include "sim/reuse/reuse_distance.hpp"
#include "workbench/study/stall_reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

namespace texelscope::gui {
namespace {

/// Cycles at which the number of warps rises after it fell: the starts of all occupancy groups but
/// the first, as a group starts when the one before is done.
std::vector<double> rises(const OccupancyOverTime& series)
{
    std::vector<double> rises;
    bool fallen = false;
    for (std::size_t i = 1; i < series.points.size(); ++i) {
        const double before = series.points[i - 1].warps;
        const double now = series.points[i].warps;
        if (now > before && fallen) {
            rises.push_back(static_cast<double>(series.points[i].cycle));
        }
        fallen = now < before || (fallen && now == before);
    }
    return rises;
}

std::string title_of(const LaunchResult& study, const std::string& what)
{
    return fmt::format("{}: {}", what, study.device_name);
}

} // namespace

MissRatioCurves launch_miss_ratios(const LaunchResult& study, const StopToken& stop)
{
    SimulationOptions options = study.options;
    options.mode.timed = false;
    const ReuseDistances distances = reuse_distances(*study.source, options, {}, stop);
    return {study.name, study.device_name, options.machine.l1().geometry.line,
            options.machine.l1().geometry.capacity,
            named_curves(distances, study.source->images())};
}

std::optional<PanelPlot> resident_warps_plot(const LaunchResult& study)
{
    const std::vector<CoreResult>& cores = study.timed.cores;
    const auto last =
        std::max_element(cores.begin(), cores.end(), [](const CoreResult& a, const CoreResult& b) {
            return a.cycles.value < b.cycles.value;
        });
    if (last == cores.end() || last->occupancy_over_time.points.empty()) {
        return std::nullopt;
    }
    const OccupancyOverTime& series = last->occupancy_over_time;
    const auto end = static_cast<double>(series.points.back().cycle);
    const Occupancy& most = study.timed.occupancy;
    PanelPlot plot;
    plot.title = title_of(study, "Resident warps");
    plot.x_label = "cycles";
    plot.left_label = "warps";
    plot.panel_width = 600;
    plot.x_high = end;
    plot.x_ticks = PlotAxis{0, end}.ticks(8);
    const std::string core = fmt::format("core {}, which finished last", last - cores.begin());
    PanelPlot::Curve warps{core, 1, PanelPlot::Axis::left, {}, false};
    for (std::size_t i = 0; i + 1 < series.points.size(); ++i) {
        const OccupancyOverTime::Point& point = series.points[i];
        const std::int64_t until = series.points[i + 1].cycle;
        const std::string about =
            fmt::format("cycles {} to {}: {:.3g} warps", point.cycle, until, point.warps);
        warps.points.push_back({static_cast<double>(point.cycle), point.warps, about});
        warps.points.push_back({static_cast<double>(until), point.warps, about});
    }
    warps.points.push_back(
        {end, 0, fmt::format("done after {} cycles", series.points.back().cycle)});
    const auto allowed = static_cast<double>(most.warps);
    const std::string limit =
        fmt::format("limit: {} warps ({})", most.warps, to_string(most.room_limiter));
    PanelPlot::Panel panel;
    panel.curves = {
        warps, {limit, 0, PanelPlot::Axis::left, {{0, allowed, limit}, {end, allowed, limit}}}};
    const std::vector<double> starts = rises(series);
    // A start does not always show as a rise. Rules at some of the starts would mislead, so there
    // are all or none.
    if (static_cast<std::int64_t>(starts.size()) + 1 == last->occupancy_groups && !starts.empty()) {
        panel.rules = starts;
        plot.rule_label = fmt::format("next of {} occupancy groups", last->occupancy_groups);
    }
    plot.panels = {panel};
    return plot;
}

std::optional<PanelPlot> stalls_plot(const LaunchResult& study)
{
    const StallStatistics sum = all_stalls(study.timed);
    if (sum.total() == 0) {
        return std::nullopt;
    }
    constexpr std::array names{
        "issuing",          "waiting\nfor data", "arithmetic",    "texture\nunit",
        "too many\nmisses", "merged\nreads",     "latency\nFIFO", "idle"};
    static_assert(names.size() == std::size(stall_reasons));
    PanelPlot plot;
    plot.title = title_of(study, "Where the cycles of all cores went");
    plot.left_label = "cycles, %";
    plot.panel_width = 600;
    plot.x_low = -0.5;
    plot.x_high = static_cast<double>(names.size()) - 0.5;
    PanelPlot::Bars bars;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto x = static_cast<double>(i);
        const StallReason& reason = stall_reasons[i];
        const double percent = 100 * reason.share(sum);
        plot.x_ticks.push_back(x);
        plot.x_tick_names.emplace_back(names[i]);
        bars.points.push_back(
            {x, percent,
             fmt::format("{}: {} cycles, {:.1f} %", reason.about, sum.*reason.cycles, percent)});
    }
    plot.panels = {{"", {bars}, {}, {}}};
    return plot;
}

PanelPlot beside(const PanelPlot& a, const PanelPlot& b)
{
    PanelPlot both = a;
    // Common axes: only so can lengths be compared.
    const PanelPlot& wider = b.x_high > a.x_high ? b : a;
    both.x_ticks = wider.x_ticks;
    both.x_tick_names = wider.x_tick_names;
    both.x_low = std::min(a.x_low, b.x_low);
    both.x_high = std::max(a.x_high, b.x_high);
    both.panel_width = a.panel_width / 2;
    both.panels.clear();
    for (const auto& [plot, name] : {std::pair{&a, "A"}, std::pair{&b, "B"}}) {
        for (PanelPlot::Panel panel : plot->panels) {
            panel.title = panel.title.empty() ? name : fmt::format("{}, {}", name, panel.title);
            both.panels.push_back(std::move(panel));
        }
    }
    return both;
}

} // namespace texelscope::gui
