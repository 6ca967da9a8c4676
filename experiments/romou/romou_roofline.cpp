#include "experiments/romou/romou_roofline.hpp"

#include "base/lists.hpp"
#include "base/progress.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"
#include "experiments/shared/choices.hpp"
#include "experiments/shared/within.hpp"
#include "sim/options/occupancy.hpp"
#include "workbench/space/narrowed.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace texelscope::experiments {
// A roofline over operations per number read: each level of memory allows at most bandwidth / bytes
// of a number * intensity, and arithmetic its peak (section 3.2). Roofs are from the profile;
// kernels are found by a search for each coarsening, which simulates or runs them.
namespace {

using Kernel = Roofline::Kernel;
using Roof = Roofline::Roof;

// Of a coarsening of 4x4: 4 x 4 x 4 x 2 operations for 4 x 4 + 4 x 4 numbers (section 3.2).
constexpr double paper_intensity = 4;
constexpr double paper_bound = 380; // GFLOPS

std::string tile_text(const std::vector<std::int32_t>& tile)
{
    return fmt::format("{}", fmt::join(tile, "x"));
}

std::vector<Roof> roofs_of(const DeviceProfile& device)
{
    const SimulationOptions& options = device.simulation;
    const Timing& timing = options.machine.timing;
    const double giga_cycles = timing.clock_mhz / 1000; // cycles of a nanosecond
    // What one lookup brings: a sector, or a line where there are none.
    const auto fetched = static_cast<double>(options.machine.l1().geometry.sector.value > 0
                                                 ? options.machine.l1().geometry.sector.value
                                                 : options.machine.l1().geometry.line.value);
    std::vector<Roof> roofs{
        {"L1", timing.lookups_per_cycle * fetched * options.machine.cores * giga_cycles}};
    for (const CacheLevel& level : options.machine.levels()) {
        if (level.name != "L1") { // of which the lookups are the rate
            roofs.push_back({level.name, level.bytes_per_cycle * giga_cycles});
        }
    }
    roofs.push_back({"memory", timing.memory_bytes_per_cycle * giga_cycles});
    return roofs;
}

/// The fastest kernel of a coarsening that a learned search finds, with what it needs of the
/// device.
Kernel fastest(const Operator& op, const ExperimentDevice& device, const ConfigurationSpace& space,
               const std::vector<std::int32_t>& tile, const RooflineOptions& options,
               const StopToken& stop)
{
    KernelTimes times(op, device, options.most_accesses, stop);
    const TimedChoice found = timed(
        best_of(parse_strategy("learned"), space, {.runs = options.runs}, times, options.seed),
        times);
    const LoopNest nest = loop_nest(op, found.choice.schedule);
    const SimulationOptions launched = options_for(nest, device.profile);
    return {tile,
            nest.schedule_text,
            operations_per_number(nest),
            launched.kernel.registers_per_item.value_or(0),
            occupancy(launched).warps,
            op.flops / found.time.value};
}

const Kernel* kernel_of(const Roofline& data, const std::vector<std::int32_t>& tile)
{
    const auto found = std::ranges::find(data.kernels, tile, &Kernel::tile);
    return found == data.kernels.end() ? nullptr : &*found;
}

constexpr const char* of_profile = ": of the profile, runs of kernels do not tell it";

/// What is the profile's decides nothing where a device was measured.
void by_profile(Finding& finding, const Roofline& data)
{
    if (data.measured) {
        finding.ours += of_profile;
        finding.verdict = Verdict::not_tested;
    }
}

/// What the roofs allow at the paper's intensity of 4.
std::vector<Finding> bounds(const Roofline& data)
{
    const double bound = data.bound(data.roofs.front(), paper_intensity);
    std::vector<Finding> findings{
        {"at 4 operations for each number read, a kernel is bound by data access, even with all "
         "data in the L1",
         "bounded by data accessing, much below the computation bandwidth (section 3.2, figure 11)",
         fmt::format("{:.0f} GFLOPS of {:.0f}", bound, data.peak_gflops),
         verdict_of(bound < data.peak_gflops)},
        {"with all data in the L1 the bound at 4 operations is 380 GFLOPS, within 10 %",
         "380 GFLOPS (section 3.2, figure 11, Adreno 640)",
         fmt::format("{:.0f} GFLOPS: {:.1f} GB/s, {:.0f} B a number", bound,
                     data.roofs.front().gb_per_s, data.bytes_per_number),
         verdict_of(within(0.1, bound, paper_bound)),
         "profile: the paper's is of the Adreno 640, on which it holds"}};
    for (Finding& finding : findings) {
        by_profile(finding, data);
    }
    return findings;
}

/// What a coarsening of 4x4 needs, and whether 4x6 raises the bound and the rate (section 3.2).
std::vector<Finding> coarsenings(const Roofline& data)
{
    Finding intensity{"a coarsening of 4x4 makes 4 operations for each number read",
                      "4 = 4 x 4 x 4 x 2 / (4 x 4 + 4 x 4) (section 3.2)", ""};
    Finding registers{
        "a coarsening of 4x4 takes 48 registers, within 25 %", "48 = 3 x 4 x 4 (section 3.2)", "",
        Verdict::not_tested,
        "set-up: registers are those of Mesa's compiler, which keeps fewer than the paper's 3 x 4 "
        "x 4"};
    Finding raised{"a coarsening of 4x6 raises the bound",
                   "opportunities to raise the bound, e.g. by 4x6 (section 3.2)", ""};
    Finding faster{"and the kernel of 4x6 is faster than that of 4x4",
                   "requires careful tuning: other operations compete for registers (section 3.2)",
                   ""};
    const Kernel* small = kernel_of(data, {4, 4});
    const Kernel* large = kernel_of(data, {4, 6});
    if (small == nullptr || large == nullptr) {
        for (Finding* finding : {&intensity, &registers, &raised, &faster}) {
            finding->ours = "a coarsening of 4x4 or 4x6 was not measured";
        }
        return {intensity, registers, raised, faster};
    }
    intensity.ours = fmt::format("{:.2f}", small->intensity);
    intensity.verdict = verdict_of(within(0.01, small->intensity, paper_intensity));
    registers.ours = fmt::format("{}, with addresses and counters: {} warps on a core",
                                 small->registers, small->warps);
    registers.verdict = verdict_of(within(0.25, small->registers, 48));
    by_profile(registers, data);
    const double from = data.bound(data.roofs.front(), small->intensity);
    const double to = data.bound(data.roofs.front(), large->intensity);
    raised.ours = fmt::format("from {:.0f} to {:.0f} GFLOPS, from {:.2f} to {:.2f} operations",
                              from, to, small->intensity, large->intensity);
    raised.verdict = verdict_of(to > from);
    by_profile(raised, data);
    faster.ours = fmt::format("{:.0f} GFLOPS with {} registers against {:.0f} with {}",
                              large->gflops, large->registers, small->gflops, small->registers);
    faster.verdict = verdict_of(large->gflops > small->gflops);
    return {intensity, registers, raised, faster};
}

/// The kernels against the bound of the L1 at their own intensity.
std::vector<Finding> against_bound(const Roofline& data)
{
    constexpr double near = 0.5;
    std::vector<std::string> above;
    const Kernel* fastest = nullptr;
    const auto share = [&](const Kernel& kernel) {
        return kernel.gflops / data.bound(data.roofs.front(), kernel.intensity);
    };
    for (const Kernel& kernel : data.kernels) {
        // Above the bound: lanes that read one line share a lookup, which the roof does not know.
        if (share(kernel) > 1) {
            above.push_back(
                fmt::format("{} by {:.0f} %", tile_text(kernel.tile), 100 * (share(kernel) - 1)));
        }
        fastest = fastest == nullptr || kernel.gflops > fastest->gflops ? &kernel : fastest;
    }
    return {{"no kernel is above the bound of the L1 at its intensity",
             "the roofline as performance bound (section 3.2)",
             above.empty()
                 ? std::string("none of them")
                 : fmt::format(
                       "above: {}. The roof counts what work-items read; work-items of a warp that "
                       "read one line share a lookup",
                       fmt::join(above, ", ")),
             verdict_of(above.empty()),
             "wording: the roof counts what work-items read; lanes that read one line share a "
             "lookup"},
            {"the fastest kernel reaches half of its bound",
             "the performance of the generated kernels is approaching the bound (section 3.3)",
             fmt::format("{:.0f} GFLOPS, {:.0f} % of the bound, by {}{}", fastest->gflops,
                         100 * share(*fastest), tile_text(fastest->tile),
                         data.measured ? ""
                                       : "; a warp has one read under way, so that latency counts "
                                         "more than on a device"),
             verdict_of(share(*fastest) >= near)}};
}

PanelPlot plot_of(const Roofline& data, const ExperimentDevice& device)
{
    PanelPlot plot;
    plot.title = fmt::format("Rooflines and {} 1x1 convolutions: {}", device.word(), device.name());
    plot.x_label = "operations for each number that a work-item reads";
    plot.left_label = "GFLOPS";
    plot.rule_label = "4x4 (Romou)";
    plot.panel_width = 560;
    plot.x_log = plot.left_log = true;
    plot.x_low = 0.5;
    plot.x_high = 64;
    plot.x_ticks = {0.5, 1, 2, 4, 8, 16, 32, 64};
    PanelPlot::Panel panel;
    panel.rules = {paper_intensity};
    panel.curves = roof_curves(data, plot.x_low, plot.x_high);
    PanelPlot::Curve kernels{"kernels", 5, PanelPlot::Axis::left, {}};
    for (const Kernel& kernel : data.kernels) {
        kernels.points.push_back({kernel.intensity, kernel.gflops,
                                  fmt::format("{}: {:.0f} GFLOPS, {}", tile_text(kernel.tile),
                                              kernel.gflops, kernel.config)});
    }
    std::ranges::stable_sort(kernels.points, {}, &PanelPlot::Point::x);
    panel.curves.push_back(std::move(kernels));
    plot.panels = {std::move(panel)};
    return plot;
}

/// Every kernel with the bound of the L1 at its own intensity beside its rate.
ResultTable table_of(const Roofline& data)
{
    ResultTable table{
        {"coarsening", "intensity", "registers", "warps", "gflops", "bound_l1_gflops", "config"},
        {}};
    for (const Kernel& kernel : data.kernels) {
        table.rows.push_back({tile_text(kernel.tile), kernel.intensity,
                              std::int64_t{kernel.registers}, std::int64_t{kernel.warps},
                              kernel.gflops, data.bound(data.roofs.front(), kernel.intensity),
                              kernel.config});
    }
    return table;
}

} // namespace

double Roofline::bound(const Roof& roof, double intensity) const
{
    return std::min(peak_gflops, roof.gb_per_s / bytes_per_number * intensity);
}

Roofline device_roofline(const DeviceProfile& device, double bytes_per_number)
{
    const Timing& timing = device.simulation.machine.timing;
    Roofline data;
    data.bytes_per_number = bytes_per_number;
    // A multiply-add counts as two operations.
    data.peak_gflops = 2 * timing.alu_lanes.value_or(0) * device.simulation.machine.cores *
                       timing.clock_mhz / 1000;
    data.roofs = roofs_of(device);
    return data;
}

double operations_per_number(const LoopNest& nest)
{
    constexpr double numbers = 4; // a texel holds so many numbers
    return 2 * nest.multiply_adds_per_item /
           (numbers * static_cast<double>(reads_per_item(launch_of(nest).body)));
}

std::vector<PanelPlot::Curve> roof_curves(const Roofline& data, double low, double high)
{
    std::vector<PanelPlot::Curve> curves;
    int colour = 1;
    for (const Roof& roof : data.roofs) {
        PanelPlot::Curve curve{fmt::format("{} {:.0f} GB/s", roof.name, roof.gb_per_s),
                               colour++,
                               PanelPlot::Axis::left,
                               {},
                               false};
        // Where a roof meets the peak: from there on arithmetic bounds, so the line has a corner.
        const double knee = data.peak_gflops * data.bytes_per_number / roof.gb_per_s;
        for (const double x : {low, std::clamp(knee, low, high), high}) {
            curve.points.push_back({x, data.bound(roof, x), {}});
        }
        curves.push_back(std::move(curve));
    }
    curves.push_back({fmt::format("arithmetic {:.0f} GFLOPS", data.peak_gflops),
                      0,
                      PanelPlot::Axis::left,
                      {{low, data.peak_gflops, {}}, {high, data.peak_gflops, {}}}});
    return curves;
}

Roofline measure_roofline(const ExperimentDevice& device, const RooflineOptions& options,
                          const Progress& progress, const StopToken& stop)
{
    const Operator op = parse_operator("conv2d", options.shape);
    Roofline data = device_roofline(device.profile, bytes_per_texel(Storage::fp16) / 4.0);
    data.measured = device.real();
    SpaceOptions knobs;
    knobs.values['P'] = {"fp16"};
    std::set<std::int32_t> sides;
    for (const std::vector<std::int32_t>& tile : options.coarsenings) {
        sides.insert(tile.begin(), tile.end());
    }
    knobs.tile_sides.assign(sides.begin(), sides.end());
    const ConfigurationSpace space = configuration_space(op, device.profile, knobs);
    LeftOut left_out(device);
    for (const std::vector<std::int32_t>& tile : options.coarsenings) {
        // One tile at a time; patterns and work-group are searched.
        const SpaceCondition of_tile = condition_on_kernels(
            "T", [&](const KernelChoice& kernel) { return kernel.tile == tile; });
        left_out.run([&] {
            data.kernels.push_back(
                fastest(op, device, narrowed(space, {of_tile}).space, tile, options, stop));
        });
        tell(progress, "coarsenings", data.kernels.size(), options.coarsenings.size());
    }
    left_out.require(!data.kernels.empty());
    data.left_out = left_out.reasons();
    return data;
}

std::vector<Finding> romou_roofline_findings(const Roofline& data)
{
    std::vector<Finding> findings = bounds(data);
    for (const std::vector<Finding>& more : {coarsenings(data), against_bound(data)}) {
        findings.insert(findings.end(), more.begin(), more.end());
    }
    return findings;
}

ExperimentResult run_romou_roofline(const ExperimentDevice& device, const Progress& progress,
                                    const StopToken& stop)
{
    const RooflineOptions options;
    const Roofline data = measure_roofline(device, options, progress, stop);
    const std::string roofs = joined(data.roofs, [](const Roof& roof) {
        return fmt::format("{} {:.1f} GB/s", roof.name, roof.gb_per_s);
    });
    ExperimentResult::Conditions conditions{
        {"device", device.real() ? device.text() : device.name()},
        {"roofs", fmt::format("of the profile: {:.0f} GFLOPS; {}", data.peak_gflops, roofs)},
        {"kernels", fmt::format("conv2d {}, half floats, all tensors in images", options.shape)},
        {"coarsening", "output channels by places along the width of one work-item"},
        {"of each coarsening",
         fmt::format(
             "the fastest of {} runs of a learned search over patterns and work-group, seed "
             "{}, {}",
             options.runs, options.seed,
             device.times_text(
                 fmt::format("simulated with at most {} warp accesses", options.most_accesses)))},
        {"intensity",
         "two operations for each multiply-add, over the numbers that a work-item reads"},
    };
    if (!device.real()) {
        conditions.emplace_back("not simulated",
                                "several reads of one warp under way at once; writes");
    }
    add_left_out(conditions, data.left_out);
    return {std::move(conditions), table_of(data),
            decided_on(device, romou_roofline_findings(data)), plot_of(data, device)};
}

} // namespace texelscope::experiments
