#include "experiments/work_groups/work_group_utilisation.hpp"

#include "base/lists.hpp"
#include "model/statistics/kendall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace texelscope::experiments {
// Whether a work-group that keeps the ALUs busier is faster, for one convolution.
namespace {

constexpr std::size_t shown = 10; ///< as in the paper

/// The gains that the paper measured, on one Adreno and one Mali. Other devices are compared with
/// neither.
struct PaperGains {
    const char* family; ///< gpu_family()
    const char* device;
    double utilisation;
    double latency;
};
constexpr std::array<PaperGains, 2> paper_gains{
    {{"adreno", "Adreno 630", 1.8, 3.58}, {"mali", "Mali-G72", 7.1, 8.02}}};

const PaperGains* paper_of(const std::string& device)
{
    const std::string family = gpu_family(device);
    const auto found = std::ranges::find_if(
        paper_gains, [&](const PaperGains& gains) { return family == gains.family; });
    return found == paper_gains.end() ? nullptr : &*found;
}

/// Utilisations of the sizes that have one: none has where arithmetic takes no time.
std::vector<double> utilisations(const WorkGroupTimes& times)
{
    std::vector<double> values;
    for (const WorkGroupTime& group : times.groups) {
        if (group.alu_utilisation) {
            values.push_back(*group.alu_utilisation);
        }
    }
    return values;
}

/// All sizes; those that the plot shows are marked.
ResultTable table_of(const Operator& op, const WorkGroupTimes& conv)
{
    ResultTable table{{"group", "items", "ns", "alu_utilisation", "shown"}, {}};
    const std::vector<WorkGroupTime> picked = shown_groups(conv, shown);
    for (const WorkGroupTime& group : conv.groups) {
        const Dim3& g = group.schedule.group;
        const bool is_shown =
            std::ranges::count(picked, group.schedule, &WorkGroupTime::schedule) > 0;
        table.rows.push_back({group_text(op, group), std::int64_t{g[0]} * g[1] * g[2],
                              group.time.value,
                              group.alu_utilisation ? ResultTable::Value{*group.alu_utilisation}
                                                    : ResultTable::Value{std::string("-")},
                              std::int64_t{is_shown ? 1 : 0}});
    }
    return table;
}

} // namespace

std::vector<WorkGroupTime> shown_groups(const WorkGroupTimes& times, std::size_t count)
{
    std::vector<WorkGroupTime> sorted = times.groups;
    std::ranges::stable_sort(sorted, std::greater<>(), &WorkGroupTime::time);
    if (sorted.size() <= count || count < 2) {
        return sorted;
    }
    std::vector<WorkGroupTime> picked;
    // The first and the last are always among them: i (n - 1) / (count - 1) is 0 and n - 1 there.
    for (std::size_t i = 0; i < count; ++i) {
        picked.push_back(sorted[i * (sorted.size() - 1) / (count - 1)]);
    }
    return picked;
}

std::vector<Finding> work_group_utilisation_findings(const WorkGroupTimes& conv)
{
    const PaperGains* paper = paper_of(conv.device);
    const auto quoted = [](double PaperGains::*gain) {
        return fmt::format("{} times on an {}, {} times on a {} (section 3.2, figure 4)",
                           paper_gains[0].*gain, paper_gains[0].device, paper_gains[1].*gain,
                           paper_gains[1].device);
    };
    // Without a phone of that kind in the paper the numbers are shown, but decide nothing.
    const std::string other = "; the paper has no device of this kind";

    Finding slower{"the best work-group is as much faster than the worst as in the paper, or more",
                   quoted(&PaperGains::latency), ""};
    // The slowest over the fastest of all sizes that were timed.
    const double gain = conv.slowest().time / conv.fastest().time;
    slower.ours = fmt::format("{:.2f} times, of {} sizes{}", gain, conv.groups.size(),
                              paper == nullptr ? other : "");
    if (paper != nullptr && conv.groups.size() > 1) {
        slower.verdict = verdict_of(gain >= paper->latency);
    }

    Finding idle{"it uses the ALUs as much more than the worst as in the paper, or more",
                 quoted(&PaperGains::utilisation),
                 conv.measured ? "a real device tells times, not what its ALUs do"
                               : "arithmetic takes no time on this device"};
    Finding related{
        "the higher the utilisation, the lower the latency (Kendall's tau at most -0.8)",
        "the higher utilisation leads to the lower latency (section 3.2)", idle.ours,
        Verdict::not_tested, "wording: the paper gives no number; the bound of -0.8 is ours"};
    Finding under{"the ALUs are underutilised: a middling work-group leaves at least half of their "
                  "cycles idle",
                  "32 % on average of an Adreno 630, 54.3 % of a Mali-G72, over whole networks "
                  "(section 3.2, figure 3)",
                  idle.ours};
    // Only if the device's arithmetic takes time in every size.
    std::vector<double> used = utilisations(conv);
    if (!used.empty() && used.size() == conv.groups.size()) {
        const auto times =
            mapped(conv.groups, [](const WorkGroupTime& group) { return group.time.value; });
        if (const std::optional<double> tau = kendall_tau_b(used, times)) {
            related.ours = fmt::format("tau {:.2f}", *tau);
            related.verdict = verdict_of(*tau <= -0.8);
        }
        const double best = *conv.fastest().alu_utilisation;
        const double worst = *conv.slowest().alu_utilisation;
        idle.ours = fmt::format("{:.2f} times: {:.1f} % against {:.1f} %{}", best / worst,
                                100 * best, 100 * worst, paper == nullptr ? other : "");
        if (paper != nullptr && conv.groups.size() > 1) {
            idle.verdict = verdict_of(best >= paper->utilisation * worst);
        }
        const auto middle = used.begin() + static_cast<std::ptrdiff_t>(used.size() / 2);
        std::nth_element(used.begin(), middle, used.end());
        under.ours = fmt::format("{:.1f} % of the median work-group", 100 * *middle);
        // Half is our bound; the paper gives 32 and 54.3 % over whole networks.
        under.verdict = verdict_of(*middle <= 0.5);
    }
    return {slower, idle, related, under};
}

/// Ten sizes from the slowest to the fastest, as figure 4 shows them: latency as bars, utilisation
/// as a line.
PanelPlot work_group_utilisation_plot(const Operator& op, const WorkGroupTimes& conv)
{
    PanelPlot plot;
    plot.title = fmt::format("{}: ALU utilisation and latency over work-group sizes: {}",
                             conv.kernel, conv.device);
    plot.x_label = "work-group: width-height, channels below";
    plot.left_label = "latency, ms";
    plot.right_label = "ALU utilisation, %";
    plot.panel_width = 560;
    PanelPlot::Bars latency{"latency (left axis)", 6, {}};
    PanelPlot::Curve used{"ALU utilisation (right axis)", 5, PanelPlot::Axis::right, {}};
    const std::vector<WorkGroupTime> groups = shown_groups(conv, shown);
    // of a nanosecond
    constexpr double ms = 1e-6;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto x = static_cast<double>(i);
        std::string name = group_text(op, groups[i]);
        plot.x_ticks.push_back(x);
        latency.points.push_back({x, groups[i].time.value * ms,
                                  fmt::format("{}: {:.4g} ms", name, groups[i].time.value * ms)});
        if (groups[i].alu_utilisation) {
            const double percent = 100 * *groups[i].alu_utilisation;
            used.points.push_back({x, percent, fmt::format("{}: {:.1f} %", name, percent)});
        }
        plot.x_tick_names.push_back(name.replace(name.rfind('-'), 1, "\n-"));
    }
    plot.x_low = -0.6;
    plot.x_high = static_cast<double>(groups.size()) - 0.4;
    PanelPlot::Panel& panel = plot.panels.emplace_back();
    panel.bars = {std::move(latency)};
    panel.curves = {std::move(used)};
    return plot;
}

ExperimentResult run_work_group_utilisation(const ExperimentDevice& device,
                                            const Progress& progress, const StopToken& stop)
{
    const WorkGroupOptions options;
    const RuledKernel kernel = ruled_kernels().front();
    const WorkGroupTimes conv = measure_work_groups(kernel, device, options, progress, stop);
    ExperimentResult::Conditions conditions{
        {"device", device.text()},
        {"kernel", to_string(kernel.op) +
                       "; the paper gives no channels of the output, here as many as of the input"},
        {"configuration", "tile and patterns as TFLite's rule has them: " +
                              to_string(conv.fastest().schedule) + " is the fastest"},
        {"work-groups",
         coverage_text(conv) + fmt::format("; shown: {} of them, evenly spaced by rank", shown)},
        {"utilisation", device.real() ? "a real device does not tell it"
                                      : "cycles of arithmetic over all cycles of the cores"},
        {"runs", device.times_text(sampled_text(options.sample))},
    };
    return {std::move(conditions), table_of(kernel.op, conv),
            decided_on(device, work_group_utilisation_findings(conv)),
            work_group_utilisation_plot(kernel.op, conv)};
}

} // namespace texelscope::experiments
