#include "experiments/romou/romou_registers.hpp"

#include "base/averages.hpp"
#include "base/progress.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/shared/within.hpp"
#include "sim/options/options.hpp"
#include "workbench/probes/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace texelscope::experiments {
// The statements of figure 5, each decided from the times over registers and work-items. A jump of
// time says that no more work-items fit at once: some of them have to wait.
namespace {

using RegisterSeries = RegisterSweep::Series;

constexpr std::int64_t paper_items = 384;
constexpr int paper_registers = 181;

const RegisterSeries* series_of(const RegisterSweep& data, std::int64_t items)
{
    const auto found = std::ranges::find(data.series, items, &RegisterSeries::items);
    return found == data.series.end() ? nullptr : &*found;
}

/// Times are listed by registers, from one register on.
double time_at(const RegisterSeries& series, int registers)
{
    return series.times[static_cast<std::size_t>(registers) - 1].value;
}

std::string not_simulated(std::int64_t items)
{
    return fmt::format("the device does not take a work-group of {} work-items in whole warps",
                       items);
}

/// "When the number of work items is no more than 384, the latency lines overlap each other"
/// (section 3.1).
Finding overlap(const RegisterSweep& data)
{
    constexpr double same = 0.1;
    Finding finding{
        fmt::format("up to {} work-items take the same time, within 10 %, with up to {} registers",
                    paper_items, paper_registers),
        "no more than 384 work-items: the lines overlap (section 3.1, figure 5)", "",
        Verdict::not_tested, "profile: the paper's is of the Adreno 640, on which it holds"};
    double least = 0, most = 0;
    std::int64_t largest = 0;
    int lines = 0;
    for (const RegisterSeries& series : data.series) {
        if (series.items > paper_items) {
            continue;
        }
        const auto end = series.times.begin() +
                         std::min<std::ptrdiff_t>(paper_registers, std::ssize(series.times));
        const auto [low, high] = std::minmax_element(series.times.begin(), end);
        least = lines == 0 ? low->value : std::min(least, low->value);
        most = std::max(most, high->value);
        largest = std::max(largest, series.items);
        ++lines;
    }
    // A single line overlaps with itself.
    if (lines < 2) {
        finding.ours = "fewer than two numbers of work-items up to 384 fit the device";
        return finding;
    }
    finding.ours =
        fmt::format("{:.3g} to {:.3g} us up to {} work-items", least / 1000, most / 1000, largest);
    finding.verdict = verdict_of(most <= (1 + same) * least);
    return finding;
}

/// The paper's file of 384 x 181 registers, found from the jump of the 384 work-items.
Finding file_size(const RegisterSweep& data)
{
    Finding finding{"384 work-items run at once with up to 181 registers each, within 10 %",
                    "latency increases dramatically after 181 registers: a file of 384 x 181 "
                    "(section 3.1, figure 5)",
                    "", Verdict::not_tested,
                    "profile: the paper's is of the Adreno 640, on which it holds; 49152 registers "
                    "are 128 for each of 384"};
    const RegisterSeries* series = series_of(data, paper_items);
    if (series == nullptr) {
        finding.ours = not_simulated(paper_items);
        return finding;
    }
    const auto jump = register_jump(*series, data.warp_size);
    finding.ours = jump ? fmt::format("{} registers", jump->fits)
                        : fmt::format("no jump up to {} registers", series->times.size());
    finding.verdict = verdict_of(jump && within(0.1, jump->fits, paper_registers));
    return finding;
}

/// All jumps must follow from one pool: n warps with r registers each fit where n r is at most its
/// size (explain_jumps()).
Finding shared_pool(const RegisterSweep& data)
{
    Finding finding{
        "work-items share one pool of registers: it explains all jumps, whatever their number",
        "a 384 x 181 = 69504 shared pool of 32-bit registers (section 3.1, figure 5)", ""};
    std::vector<RegisterJump> jumps;
    for (const RegisterSeries& series : data.series) {
        if (const auto jump = register_jump(series, data.warp_size)) {
            jumps.push_back(*jump);
        }
    }
    if (jumps.size() < 2) {
        finding.ours = fmt::format("{} of {} numbers of work-items show a jump", jumps.size(),
                                   data.series.size());
        return finding;
    }
    const std::vector<RegisterPool> pools = explain_jumps(jumps, data.warp_size);
    const bool plain = !pools.empty() && pools.front().partitions == 1;
    finding.ours =
        pools.empty()
            ? fmt::format("the jumps at {} numbers of work-items fit no pool", jumps.size())
            : fmt::format("{} to {} registers in {} partition{}, from the jumps at {} numbers of "
                          "work-items",
                          pools.front().low, pools.front().high, pools.front().partitions,
                          plain ? "" : "s", jumps.size());
    finding.verdict = verdict_of(plain);
    return finding;
}

/// 768 work-items against 384: they have half of the registers each, and beyond that take twice the
/// time, as two groups of 384 follow one another.
std::array<Finding, 2> doubled(const RegisterSweep& data)
{
    constexpr std::int64_t twice = 2 * paper_items;
    Finding half{"768 work-items run at once with half of the registers of 384, within 5 %",
                 "only when the register usage is less than half of 181 (section 3.1)", ""};
    Finding time{"with more registers, the 768 take twice as long, within 10 %",
                 "the latency is doubled: two sequential groups of 384 (section 3.1)", ""};
    const RegisterSeries* one = series_of(data, paper_items);
    const RegisterSeries* two = series_of(data, twice);
    if (one == nullptr || two == nullptr) {
        half.ours = time.ours = not_simulated(one == nullptr ? paper_items : twice);
        return {half, time};
    }
    const auto jump_one = register_jump(*one, data.warp_size);
    const auto jump_two = register_jump(*two, data.warp_size);
    if (jump_one && jump_two) {
        half.ours = fmt::format("{} against {} registers", jump_two->fits, jump_one->fits);
        half.verdict = verdict_of(within(0.05, jump_two->fits, jump_one->fits / 2.0));
    } else {
        half.ours = "one of the two shows no jump";
    }
    if (jump_two) {
        const double times = time_at(*two, jump_two->jumps) / time_at(*two, jump_two->fits);
        time.ours = fmt::format("{:.2f} times, from {} to {} registers", times, jump_two->fits,
                                jump_two->jumps);
        time.verdict = verdict_of(within(0.1, times, 2));
    } else {
        time.ours = "768 work-items show no jump";
    }
    return {half, time};
}

/// The limit of a single work-item, beyond which a compiler keeps registers in memory: figure 5
/// shows it as a jump of the smallest work-group at the same 181 registers.
Finding own_limit(const RegisterSweep& data)
{
    const RegisterSeries& fewest = data.series.front();
    const auto jump = register_jump(fewest, data.warp_size);
    return {
        fmt::format("{} work-items slow down beyond 181 registers too, within 10 %", fewest.items),
        "latency increases dramatically after 181 registers, on all lines (figure 5)",
        jump ? fmt::format("after {} registers", jump->fits)
             : fmt::format("no jump up to {} registers: what a compiler keeps in memory where a "
                           "work-item has too "
                           "many is not simulated",
                           fewest.times.size()),
        jump ? verdict_of(within(0.1, jump->fits, paper_registers)) : Verdict::not_tested};
}

/// One line for each number of work-items, as figure 5 has them.
PanelPlot plot_of(const RegisterSweep& data, const std::string& device)
{
    PanelPlot plot;
    plot.title = "Time of one work-group over the registers of a work-item: " + device;
    plot.x_label = "32-bit registers of a work-item";
    plot.left_label = "time, us";
    plot.rule_label = "181 registers (Romou, figure 5)";
    plot.panel_width = 640;
    const auto most = static_cast<double>(data.series.front().times.size());
    plot.x_high = most;
    for (double tick = 0; tick <= most; tick += 32) {
        plot.x_ticks.push_back(tick);
    }
    PanelPlot::Panel panel;
    panel.rules = {paper_registers};
    int colour = 1;
    for (const RegisterSweep::Series& series : data.series) {
        PanelPlot::Curve curve{
            fmt::format("nWI {}", series.items), colour++, PanelPlot::Axis::left, {}, false};
        for (std::size_t i = 0; i < series.times.size(); ++i) {
            curve.points.push_back({static_cast<double>(i + 1), series.times[i].value / 1000, {}});
        }
        panel.curves.push_back(std::move(curve));
    }
    plot.panels = {std::move(panel)};
    return plot;
}

ResultTable table_of(const RegisterSweep& data)
{
    ResultTable table{{"work_items", "registers", "ns"}, {}};
    for (const RegisterSeries& series : data.series) {
        for (std::size_t i = 0; i < series.times.size(); ++i) {
            // The times are stairs, so only the edges of steps are rows of the table.
            const bool edge = i == 0 || i + 1 == series.times.size() ||
                              series.times[i].value != series.times[i - 1].value ||
                              series.times[i].value != series.times[i + 1].value;
            if (edge) {
                table.rows.push_back(
                    {series.items, static_cast<std::int64_t>(i + 1), series.times[i].value});
            }
        }
    }
    return table;
}

} // namespace

RegisterSweep measure_register_sweep(Target& target, int warp_size,
                                     const RegisterSweepOptions& options, const Progress& progress,
                                     const StopToken& stop)
{
    RegisterSweep data;
    data.warp_size = warp_size;
    // All samples of a simulated target are the same.
    const int samples = target.info().simulated ? 1 : 5;
    for (const std::int64_t items : options.items) {
        // Work-groups are whole warps; sizes that round up to the same are measured once.
        const std::int64_t whole = (items + data.warp_size - 1) / data.warp_size * data.warp_size;
        const bool known = !data.series.empty() && data.series.back().items == whole;
        if (whole <= target.info().max_work_group && !known) {
            data.series.push_back({whole, {}});
        }
    }
    // A device whose groups are smaller than all of the paper's sizes is measured with one warp.
    if (data.series.empty()) {
        data.series.push_back({data.warp_size, {}});
    }
    for (std::size_t i = 0; i < data.series.size(); ++i) {
        for (int registers = 1; registers <= options.most_registers; ++registers) {
            check_stop(stop);
            data.series[i].times.push_back(Nanoseconds{
                median(target.run(same_texel_kernel(data.series[i].items, registers), samples))});
        }
        tell(progress, "work-groups", i + 1, data.series.size());
    }
    return data;
}

std::optional<RegisterJump> register_jump(const RegisterSweep::Series& series, int warp_size)
{
    const auto first =
        std::find_if(series.times.begin(), series.times.end(), [&](Nanoseconds time) {
            return time.value > some_wait * series.times.front().value;
        });
    if (first == series.times.end()) {
        return std::nullopt;
    }
    const int fits = static_cast<int>(first - series.times.begin());
    return RegisterJump{series.items / warp_size, fits, fits + 1};
}

std::vector<Finding> romou_registers_findings(const RegisterSweep& data)
{
    const auto [half, time] = doubled(data);
    return {overlap(data), file_size(data), shared_pool(data), half, time, own_limit(data)};
}

ExperimentResult run_romou_registers(Target& target, const DeviceProfile& device,
                                     const Progress& progress, const StopToken& stop)
{
    const RegisterSweepOptions options;
    const RegisterSweep data = measure_register_sweep(target, device.simulation.machine.warp_size,
                                                      options, progress, stop);
    const auto registers = device.simulation.machine.registers_per_core;
    ExperimentResult::Conditions conditions{
        {"device", target.info().name},
        {"registers of a core", registers ? fmt::format("{}, of the profile", *registers)
                                          : "the profile gives none: nothing limits"},
        {"warp", fmt::format("{}; at most {} on a core", data.warp_size,
                             device.simulation.machine.warps_per_core)},
        {"kernel", "one work-group on one core; every work-item reads one texel 128 times, each "
                   "once the read before has "
                   "come back"},
        {"registers", fmt::format("1 to {} of a work-item; the table has the edges of the stairs",
                                  options.most_registers)},
    };
    return {std::move(conditions), table_of(data), romou_registers_findings(data),
            plot_of(data, target.info().name)};
}

} // namespace texelscope::experiments
