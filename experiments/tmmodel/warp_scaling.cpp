#include "experiments/tmmodel/warp_scaling.hpp"

#include "base/progress.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/tmmodel/warp_level.hpp"
#include "sim/options/options.hpp"
#include "sim/simulate.hpp"
#include "traces/launch_source.hpp"
#include "workbench/probes/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace texelscope::experiments {
// One warp of more and more threads, each streaming through texels of its own. Throughput over that
// of one thread shows how far the threads throw each other's lines out of the L1.
namespace {

/// The four patterns of the paper; stream_patterns has block8 as well.
std::span<const StreamPattern> shown_patterns()
{
    return std::span(stream_patterns).first(4);
}

/// Fills in what is over something else, once there is a throughput of every point: everything is
/// over one thread of `column`, as in figure 4.
void normalise(WarpScaling& data)
{
    const double column = data.series.front().points.front().texels_per_ns;
    for (WarpScaling::Series& series : data.series) {
        const double one = series.points.front().texels_per_ns;
        for (WarpScaling::Point& point : series.points) {
            point.normalised = point.texels_per_ns / column;
            point.share = point.texels_per_ns / (one * point.threads);
        }
    }
}

PanelPlot plot_of(const WarpScaling& data, const ExperimentDevice& device)
{
    const int warp = device.profile.simulation.machine.warp_size;
    PanelPlot plot;
    plot.title = "Scaling of access patterns with the threads of a warp: " + device.name();
    plot.x_label = "threads of the warp";
    plot.left_label = "throughput (1 = column, 1 thread)";
    plot.rule_label = "reuse distance x threads = lines of L1";
    plot.x_high = std::max(2, warp);
    for (int quarter = 1; quarter <= 4 && warp >= 4; ++quarter) {
        plot.x_ticks.push_back(warp / 4 * quarter);
    }
    int colour = 1;
    for (const WarpScaling::Series& series : data.series) {
        PanelPlot::Panel panel;
        panel.title = fmt::format("{} (reuse distance {})", series.pattern.name,
                                  series.pattern.reuse_distance);
        PanelPlot::Curve perfect{"perfect scaling", 0, PanelPlot::Axis::left, {}};
        PanelPlot::Curve ours{
            std::string(series.pattern.name), colour++, PanelPlot::Axis::left, {}};
        // Perfect scaling starts from one thread of the same pattern.
        const double one = series.points.front().normalised;
        perfect.points = {{1, one, {}}, {static_cast<double>(warp), one * warp, {}}};
        for (const WarpScaling::Point& point : series.points) {
            ours.points.push_back(
                {static_cast<double>(point.threads), point.normalised,
                 fmt::format("{}, {} threads: {:.3g} ({:.0f} % of perfect)", series.pattern.name,
                             point.threads, point.normalised, 100 * point.share)});
        }
        // With a reuse distance of 0 no number of threads exceeds the L1.
        if (series.pattern.reuse_distance > 0) {
            panel.rules.push_back(static_cast<double>(data.cache_lines) /
                                  series.pattern.reuse_distance);
        }
        panel.curves = {perfect, ours};
        plot.panels.push_back(std::move(panel));
    }
    return plot;
}

/// Every point of every pattern, with its share of perfect scaling.
ResultTable table_of(const WarpScaling& data)
{
    ResultTable table{{"pattern", "threads", "texels_per_ns", "normalised", "share_of_perfect"},
                      {}};
    for (const WarpScaling::Series& series : data.series) {
        for (const WarpScaling::Point& point : series.points) {
            table.rows.push_back({std::string(series.pattern.name), std::int64_t{point.threads},
                                  point.texels_per_ns, point.normalised, point.share});
        }
    }
    return table;
}

} // namespace

SimulationOptions warp_scaling_device(SimulationOptions device)
{
    device.machine.cores = 1; // there is only one warp
    device.mode.timed = true;
    device.kernel.alu_cycles_per_step = 0;
    device.machine.timing.alu_lanes = {}; // so that reads alone take time
    device.machine.instructions.reads_in_flight =
        1; // "each thread consumes one pixel at a time" (figure 3)
    return device;
}

StreamShape warp_scaling_shape(const SimulationOptions& device, const WarpScalingOptions& options,
                               int threads)
{
    // 1.25 times the L2: the paper's data exceed the last-level cache.
    const std::int64_t data =
        std::min(device.machine.l2().geometry.capacity.value / 4 * 5, options.most_data.value);
    const std::int64_t texels =
        std::max(options.least_texels, data / options.bytes_per_texel.value);
    return {.lanes = threads,
            .steps = texels,
            .max_lanes = device.machine.warp_size,
            .max_steps = texels,
            .bytes_per_texel = options.bytes_per_texel};
}

WarpScaling measure_warp_scaling(const SimulationOptions& device, const WarpScalingOptions& options,
                                 const Progress& progress, const StopToken& stop)
{
    validate(device);
    const SimulationOptions bench = warp_scaling_device(device);
    // One thread first, the whole warp last: findings and plot rely on it.
    const std::vector<int> widths = growing_widths(bench.machine.warp_size);
    const std::span<const StreamPattern> patterns = shown_patterns();
    WarpScaling data;
    data.cache_lines = bench.machine.l1().geometry.lines();
    std::size_t done = 0;
    for (const StreamPattern& pattern : patterns) {
        WarpScaling::Series series{pattern, {}};
        for (const int threads : widths) {
            const StreamShape shape = warp_scaling_shape(bench, options, threads);
            const std::unique_ptr<TraceSource> source =
                make_trace_source(growing_warp_launch(pattern, shape));
            const Nanoseconds time = simulate(*source, bench, {}, stop).time(bench.machine).value();
            const double throughput =
                static_cast<double>(threads) * static_cast<double>(shape.steps) / time.value;
            data.texels_per_thread = shape.steps;
            series.points.push_back({threads, throughput, 0, 0});
            tell(progress, "streaming", ++done, patterns.size() * widths.size());
        }
        data.series.push_back(std::move(series));
    }
    normalise(data);
    return data;
}

WarpScaling measure_warp_scaling(Target& target, const SimulationOptions& device,
                                 const StopToken& stop)
{
    ProbeOptions options;
    options.stop = stop;
    const Known known{
        {"warp.size", device.machine.warp_size},
        {"l2.capacity", static_cast<double>(device.machine.l2().geometry.capacity.value)}};
    const ProbeResult probe = probe_tmmodel_warps(target, known, options);
    WarpScaling data;
    data.cache_lines = device.machine.l1().geometry.lines();
    data.texels_per_thread = static_cast<std::int64_t>(probe.given.at("streams.max_steps"));
    for (std::size_t i = 0; i < shown_patterns().size(); ++i) {
        WarpScaling::Series series{shown_patterns()[i], {}};
        for (const ProbePoint& point : probe.curves.at(i).points) {
            series.points.push_back({static_cast<int>(point.x), point.x / median(point), 0, 0});
        }
        data.series.push_back(std::move(series));
    }
    normalise(data);
    return data;
}

ExperimentResult run_warp_scaling(const ExperimentDevice& device, const Progress& progress,
                                  const StopToken& stop)
{
    const SimulationOptions& simulation = device.profile.simulation;
    const WarpScaling data =
        device.real() ? measure_warp_scaling(*gpu_target(*device.on, stop), simulation, stop)
                      : measure_warp_scaling(simulation, {}, progress, stop);
    const WarpScalingOptions options;
    const double bytes =
        static_cast<double>(data.texels_per_thread * options.bytes_per_texel.value);
    const std::string reads = fmt::format("{} texels of {} B that no other thread reads",
                                          data.texels_per_thread, options.bytes_per_texel.value);
    ExperimentResult::Conditions conditions{
        {"device", device.real() ? device.text() : device.name()},
        {"layout", device.real() ? "the device's, which it does not tell"
                                 : to_string(simulation.machine.layout)},
        {"threads", fmt::format("one warp of 1 to {}, on one core", simulation.machine.warp_size)},
        {"reads of a thread",
         device.real() ? "at most " + reads
         : simulation.machine.has_l2()
             ? fmt::format("{}: {:.2f} times the L2", reads,
                           bytes /
                               static_cast<double>(simulation.machine.l2().geometry.capacity.value))
             : reads + "; there is no L2"},
        {"reads under way", "one: each texel is consumed before the next is read (figure 3)"},
        {"lines of L1", fmt::format("{}", data.cache_lines)},
    };
    std::vector<Finding> findings = warp_scaling_findings(data);
    const WarpLevel level = warp_level_of(data);
    findings.push_back(warp_level_finding(level));
    return {std::move(conditions),
            table_of(data),
            decided_on(device, std::move(findings)),
            plot_of(data, device),
            {warp_level_table(level)}};
}

} // namespace texelscope::experiments
