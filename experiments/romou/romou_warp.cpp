#include "experiments/romou/romou_warp.hpp"

#include "base/progress.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/options/options.hpp"
#include "workbench/probes/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::experiments {
// The statements of figure 7, decided from the times that the probe `warp-size` measures.
namespace {

/// Least and most time of groups of `first` to `last` work-items; nothing where none was measured.
struct Span {
    double least = 0;
    double most = 0;
};
std::optional<Span> times(const WarpSteps& data, int first, int last)
{
    std::optional<Span> span;
    for (const ProbePoint& point : data.points) {
        if (point.x >= first && point.x <= last) {
            const double time = median(point);
            span = span ? Span{std::min(span->least, time), std::max(span->most, time)}
                        : Span{time, time};
        }
    }
    return span;
}

/// The paper leaves it open: "64 or 128".
Finding size(const WarpSteps& data)
{
    return {"the warp size is 64 or 128", "64 or 128 (section 3.1, figure 7)",
            data.warp_size ? fmt::format("{:.0f}", *data.warp_size) : "the steps do not tell",
            data.warp_size ? verdict_of(*data.warp_size == 64 || *data.warp_size == 128)
                           : Verdict::not_tested};
}

/// Up to a whole warp, idle lanes cost nothing.
Finding one_warp(const WarpSteps& data)
{
    constexpr double same = 0.02;
    Finding finding{"1 to 64 work-items take the same time, within 2 %",
                    "the latency keeps the same although the work-items increase (section 3.1)",
                    "no work-group of that size was measured"};
    if (const auto span = times(data, 1, 64)) {
        finding.ours = fmt::format("{:.4g} to {:.4g} us", span->least / 1000, span->most / 1000);
        finding.verdict = verdict_of(span->most <= (1 + same) * span->least);
    }
    return finding;
}

/// On an Adreno two warps may go through an ALU as one of double size, so the step at 65 work-items
/// is smaller than that at 129.
Finding slight_rise(const WarpSteps& data)
{
    Finding finding{
        "from 64 to 65 work-items time rises by less than half of what it does from 128 to 129",
        "between 65 and 128 a slight increase, much smaller than beyond 128 (section 3.1, figure "
        "7)",
        "work-groups of more than 128 work-items were not measured", Verdict::not_tested,
        "simulator: warps of double size, two of which go through an ALU together, are not "
        "simulated"};
    const auto first = times(data, 1, 64), second = times(data, 65, 128),
               third = times(data, 129, 129);
    if (first && second && third) {
        const double slight = second->most - first->most, large = third->most - second->most;
        finding.ours = fmt::format(
            "up to 128 by {:.4g} us, at 129 by {:.4g} us. The double-size warps of Adreno, "
            "two of which go through an ALU together, are not simulated",
            slight / 1000, large / 1000);
        finding.verdict = verdict_of(slight > 0 && slight < large / 2);
    }
    return finding;
}

PanelPlot plot_of(const WarpSteps& data, const std::string& device)
{
    PanelPlot plot;
    plot.title = "Time of arithmetic over the work-items of a group: " + device;
    plot.x_label = "work-items of a group";
    plot.left_label = "time, us";
    plot.rule_label = "multiples of the warp size that was found";
    plot.panel_width = 520;
    plot.x_high = data.points.back().x;
    constexpr double apart = 32;
    for (double tick = 0; tick <= plot.x_high; tick += apart) {
        plot.x_ticks.push_back(tick);
    }
    PanelPlot::Panel panel;
    PanelPlot::Curve curve{"time", 1, PanelPlot::Axis::left, {}};
    for (const ProbePoint& point : data.points) {
        curve.points.push_back(
            {point.x, median(point) / 1000,
             fmt::format("{:.0f} work-items: {:.4g} us", point.x, median(point) / 1000)});
    }
    panel.curves = {std::move(curve)};
    if (data.warp_size) {
        for (double rule = *data.warp_size; rule < plot.x_high; rule += *data.warp_size) {
            panel.rules.push_back(rule + 0.5); // the next work-item starts another warp
        }
    }
    plot.panels = {std::move(panel)};
    return plot;
}

} // namespace

WarpSteps measure_warp_steps(Target& target, const StopToken& stop)
{
    ProbeOptions options;
    // A simulated target gives the same time again.
    options.samples = target.info().simulated ? 1 : options.samples;
    options.stop = stop;
    ProbeResult found = probe_warp_size(target, {}, options);
    WarpSteps data{std::move(found.curves.front().points), {}};
    for (const ProbeFinding& finding : found.findings) {
        if (finding.key == "warp.size") {
            data.warp_size = finding.value;
        }
    }
    return data;
}

std::vector<Finding> romou_warp_findings(const WarpSteps& data)
{
    return {size(data), one_warp(data), slight_rise(data)};
}

ExperimentResult run_romou_warp(Target& target, const DeviceProfile& device,
                                const Progress& progress, const StopToken& stop)
{
    tell(progress, "work-groups", 0, 1);
    const WarpSteps data = measure_warp_steps(target, stop);
    const SimulationOptions& options = device.simulation;
    ExperimentResult::Conditions conditions{
        {"device", target.info().name},
        {"warp of the profile", fmt::format("{}", options.machine.warp_size)},
        {"kernel", "4096 dependent multiply-adds of a work-item, from registers (the paper has "
                   "divisions); the last warp "
                   "of a group takes as long as a full one"},
        {"work-groups", fmt::format("{}, {} on each of {} core{}", 16 * options.machine.cores, 16,
                                    options.machine.cores, options.machine.cores == 1 ? "" : "s")},
    };
    ResultTable table{{"work_items", "ns"}, {}};
    for (const ProbePoint& point : data.points) {
        table.rows.push_back({static_cast<std::int64_t>(point.x), median(point)});
    }
    return {std::move(conditions), std::move(table), romou_warp_findings(data),
            plot_of(data, target.info().name)};
}

} // namespace texelscope::experiments
