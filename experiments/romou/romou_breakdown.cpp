#include "experiments/romou/romou_breakdown.hpp"

#include "base/averages.hpp"
#include "base/lists.hpp"
#include "base/progress.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "experiments/shared/choices.hpp"
#include "workbench/space/operator_space.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::experiments {
namespace {

using Case = Breakdown::Case;

/// The fastest kernel in half floats that a learned search finds with the tensors in that memory.
Breakdown::Kernel fastest(const Operator& op, const ExperimentDevice& device,
                          const std::string& memory, const BreakdownOptions& options,
                          const StopToken& stop)
{
    SpaceOptions knobs;
    knobs.values = {{'P', {"fp16"}}, {'M', {memory}}};
    const ConfigurationSpace space = configuration_space(op, device.profile, knobs);
    KernelTimes times(op, device, options.most_accesses, stop);
    const TimedChoice found = timed(
        best_of(parse_strategy("learned"), space, {.runs = options.runs}, times, options.seed),
        times);
    return {to_string(found.choice.schedule), found.time.value, op.flops / found.time.value};
}

double mean_speedup(const std::vector<Case>& cases)
{
    return geometric_mean(mapped(cases, &Case::speedup));
}

std::string speedups(const std::vector<Case>& cases)
{
    const std::string each =
        joined(cases, [](const Case& one) { return fmt::format("{:.2f}", one.speedup()); });
    // Geometric mean, because these are ratios of times.
    return fmt::format("{}; geometric mean {:.2f}", each, mean_speedup(cases));
}

std::string size_text(const std::string& shape)
{
    const Operator op = parse_operator("conv2d", shape);
    return fmt::format("{},{},\n{},{}", op.shape[1], op.shape[2], op.shape[3], op.shape[4]);
}

/// GFLOPS of both memories side by side for each convolution, as figure 17 has it.
PanelPlot plot_of(const Breakdown& data, const ExperimentDevice& device)
{
    PanelPlot plot;
    plot.title = "1x1 convolutions in buffers and in images: " + device.name();
    plot.x_label = "H,W,Cin,Cout";
    plot.left_label = "GFLOPS";
    plot.panel_width = 480;
    PanelPlot::Bars buffers{"buffers", 2, {}};
    PanelPlot::Bars images{"images", 1, {}};
    constexpr double apart = 3;
    for (std::size_t i = 0; i < data.cases.size(); ++i) {
        const Case& one = data.cases[i];
        const double x = apart * static_cast<double>(i);
        buffers.points.push_back(
            {x, one.buffers.gflops,
             fmt::format("{:.0f} GFLOPS: {}", one.buffers.gflops, one.buffers.config)});
        images.points.push_back({x + 1, one.images.gflops,
                                 fmt::format("{:.0f} GFLOPS, {:.2f} times: {}", one.images.gflops,
                                             one.speedup(), one.images.config)});
        plot.x_ticks.push_back(x + 0.5);
        plot.x_tick_names.push_back(size_text(one.shape));
    }
    plot.x_low = -1;
    plot.x_high = apart * static_cast<double>(data.cases.size()) - 1;
    plot.panels = {PanelPlot::Panel{{}, {buffers, images}, {}, {}}};
    return plot;
}

ResultTable table_of(const Breakdown& data)
{
    ResultTable table{{"shape", "memory", "ns", "gflops", "speedup", "config"}, {}};
    for (const Case& one : data.cases) {
        table.rows.push_back({one.shape, std::string("buffers"), one.buffers.ns, one.buffers.gflops,
                              1.0, one.buffers.config});
        table.rows.push_back({one.shape, std::string("images"), one.images.ns, one.images.gflops,
                              one.speedup(), one.images.config});
    }
    return table;
}

} // namespace

Breakdown measure_breakdown(const ExperimentDevice& device, const BreakdownOptions& options,
                            const Progress& progress, const StopToken& stop)
{
    Breakdown data;
    // What it cannot judge is refused before the work; on a real device, too, the profile says
    // which of the paper's statements is about it.
    (void)buffer_path(device.profile);
    data.textures_only = device.profile.limits.buffer_l1->value == 0;
    LeftOut left_out(device);
    for (const std::string& shape : options.shapes) {
        const Operator op = parse_operator("conv2d", shape);
        left_out.run([&] {
            Case one{shape, {}, {}};
            // Inputs in buffers; the output stays an image, so that both write alike.
            one.buffers = fastest(op, device, "buffer,buffer,image", options, stop);
            one.images = fastest(op, device, {}, options, stop);
            data.cases.push_back(std::move(one));
        });
        tell(progress, "convolutions", data.cases.size(), options.shapes.size());
    }
    left_out.require(!data.cases.empty());
    data.left_out = left_out.reasons();
    return data;
}

std::vector<Finding> romou_breakdown_findings(const Breakdown& data)
{
    const char* const why =
        "simulator, probably: with enough warps the latency of the L2 is hidden, and its bandwidth "
        "serves one line for all lanes that read it";
    Finding faster{
        "where the L1 is for textures only, images make each of the kernels faster than buffers",
        "setImage speeds up all four, on Adreno the most of all primitives (section 5.3, figure "
        "17)",
        "", Verdict::not_tested, why};
    Finding twice{"and about twice as fast, between 1.5 and 2.5 times in the geometric mean",
                  "texture cache has twice the bandwidth, 190 against 96 GB/s (section 5.3)", "",
                  Verdict::not_tested, why};
    // Which of the statements can be decided depends on the device: on an Adreno only textures have
    // an L1, on a Mali buffers have one too.
    Finding similar{"where buffers have a first level of their own, images gain less than half in "
                    "the geometric mean",
                    "on Mali 30 against 23.3 GB/s: similar performance (section 5.3)", ""};
    // The bounds are ours: a quarter around the paper's "twice", and for "similar" less than 1.5
    // times either way.
    const double mean = mean_speedup(data.cases);
    if (data.textures_only) {
        faster.ours = twice.ours = speedups(data.cases);
        faster.verdict = verdict_of(
            std::ranges::all_of(data.cases, [](const Case& one) { return one.speedup() > 1; }));
        twice.verdict = verdict_of(mean >= 1.5 && mean <= 2.5);
        similar.ours = "on this device the L1 is for textures only";
    } else {
        similar.ours = speedups(data.cases);
        similar.verdict = verdict_of(mean < 1.5 && mean > 1 / 1.5);
        faster.ours = twice.ours = "on this device buffers have a first level of their own";
    }
    return {faster, twice, similar};
}

ExperimentResult run_romou_breakdown(const ExperimentDevice& device, const Progress& progress,
                                     const StopToken& stop)
{
    const BreakdownOptions options;
    const Breakdown data = measure_breakdown(device, options, progress, stop);
    ExperimentResult::Conditions conditions{
        {"device", device.real() ? device.text() : device.name()},
        {"kernels",
         "conv2d, half floats, scalars broadcast, addresses with common parts calculated once"},
        {"of each memory",
         fmt::format(
             "the fastest of {} runs of a learned search over patterns, tile and work-group, "
             "seed {}, {}",
             options.runs, options.seed,
             device.times_text(
                 fmt::format("simulated with at most {} warp accesses", options.most_accesses)))},
        {"reads of buffers", device.real() ? "as the device has them" : buffer_way(device.profile)},
        {"other primitives",
         "autobroadcast and the elimination of address calculations: experiment forms"},
    };
    add_left_out(conditions, data.left_out);
    return {std::move(conditions), table_of(data),
            decided_on(device, romou_breakdown_findings(data)), plot_of(data, device)};
}

} // namespace texelscope::experiments
