#include "experiments/tmmodel/occupancy_waves.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/progress.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/options/options.hpp"
#include "sim/simulate.hpp"
#include "traces/launch_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace texelscope::experiments {
// One work-group on one core reads the same texels in every thread. With more warps than fit at
// once, groups of them follow each other (occupancy groups), which shows in time and miss rate.
namespace {

/// Texels that a thread reads: 1.25 times the L2, but no more bytes and no fewer texels than the
/// options say.
std::int64_t texels_of(const DeviceProfile& device, const OccupancyWavesOptions& options)
{
    const std::int64_t data = std::min(
        device.simulation.machine.l2().geometry.capacity.value / 4 * 5, options.most_data.value);
    return std::max(options.least_texels, data / options.bytes_per_texel.value);
}

/// As many warps as fit into a work-group of the device, at least one.
int most_warps_of(const DeviceProfile& device, const OccupancyWavesOptions& options)
{
    const std::int64_t fit = device.limits.work_group_size / device.simulation.machine.warp_size;
    return static_cast<int>(std::clamp<std::int64_t>(fit, 1, options.most_warps));
}

/// For the unit of the time axis.
Nanoseconds longest(const OccupancyWaves& data)
{
    Nanoseconds most{0};
    for (const OccupancyWaves::Series& series : data.series) {
        for (const OccupancyWaves::Point& point : series.points) {
            most = std::max(most, point.time);
        }
    }
    return most;
}

PanelPlot plot_of(const OccupancyWaves& data, const DeviceProfile& device)
{
    const int warps = data.series.front().points.back().warps;
    PanelPlot plot;
    plot.title = "L1 miss rate and time over the warps of one work-group: " + device.name;
    plot.x_label = "warps of the work-group";
    // From 10 ms on, microseconds would be long numbers.
    const bool in_ms = longest(data) >= Nanoseconds{1e7};
    const std::string unit = in_ms ? "ms" : "us";
    const double units = in_ms ? 1e-6 : 1e-3; // of a nanosecond
    plot.left_label = "time, " + unit;
    plot.right_label = "L1 miss rate, %";
    plot.rule_label = "multiples of the occupancy";
    plot.x_low = 0.3;
    plot.x_high = warps + 0.7;
    for (const int tick : {1, 4, 8, 12, 16}) {
        if (tick <= warps) {
            plot.x_ticks.push_back(tick);
        }
    }
    constexpr double percent = 100;
    for (const OccupancyWaves::Series& series : data.series) {
        PanelPlot::Panel panel;
        panel.title = fmt::format("unroll {}, occupancy {}", series.unroll, series.occupancy);
        PanelPlot::Bars time{"time (left axis)", 6, {}};
        PanelPlot::Curve misses{"L1 miss rate (right axis)", 5, PanelPlot::Axis::right, {}};
        for (const OccupancyWaves::Point& point : series.points) {
            const std::string where =
                fmt::format("unroll {}, {} warps", series.unroll, point.warps);
            time.points.push_back(
                {static_cast<double>(point.warps), point.time.value * units,
                 fmt::format("{}: {:.4g} {}", where, point.time.value * units, unit)});
            misses.points.push_back(
                {static_cast<double>(point.warps), point.miss_rate * percent,
                 fmt::format("{}: {:.2f} % missed", where, point.miss_rate * percent)});
        }
        for (int multiple = series.occupancy; multiple < warps; multiple += series.occupancy) {
            // between the bars: the next warp starts another occupancy group
            panel.rules.push_back(multiple + 0.5);
        }
        panel.bars = {time};
        panel.curves = {misses};
        plot.panels.push_back(std::move(panel));
    }
    return plot;
}

ResultTable table_of(const OccupancyWaves& data)
{
    ResultTable table{{"unroll", "occupancy", "warps", "occupancy_groups", "l1_miss_rate", "ns"},
                      {}};
    for (const OccupancyWaves::Series& series : data.series) {
        for (const OccupancyWaves::Point& point : series.points) {
            table.rows.push_back({std::int64_t{series.unroll}, std::int64_t{series.occupancy},
                                  std::int64_t{point.warps}, point.occupancy_groups,
                                  point.miss_rate, point.time.value});
        }
    }
    return table;
}

std::string list(const OccupancyWaves& data, int OccupancyWaves::Series::*member)
{
    return joined(data.series, [&](const auto& series) { return std::to_string(series.*member); });
}

} // namespace

SimulationOptions occupancy_waves_device(SimulationOptions device,
                                         const OccupancyWavesOptions& options, int unroll)
{
    device.machine.cores = 1; // there is only one work-group
    device.mode.timed = true;
    // Registers limit the warps that fit, and each unrolled read takes some.
    const int base = device.kernel.registers_per_item.value_or(options.base_registers);
    device.kernel.registers_per_item = base + options.registers_per_read * unroll;
    // Only reads of one turn of the loop are under way together.
    device.machine.instructions.reads_in_flight =
        std::min(device.machine.instructions.reads_in_flight, unroll);
    if (device.machine.timing.alu_lanes && device.kernel.alu_cycles_per_step == 0) {
        // of one read: the loop's own operations are shared by the unrolled reads
        const double operations = options.function_operations + options.loop_operations / unroll;
        device.kernel.alu_cycles_per_step = issue_cycles(device.machine, operations);
    }
    return device;
}

Launch occupancy_waves_launch(const DeviceProfile& device, const OccupancyWavesOptions& options,
                              int warps)
{
    // One texel after the other, in an image as wide as the device takes.
    const std::int64_t texels = texels_of(device, options);
    const std::int64_t width = std::min<std::int64_t>(texels, device.limits.image_width);
    const std::int64_t height = (texels + width - 1) / width;
    if (width < 1 || height > std::numeric_limits<std::int32_t>::max()) {
        throw bad_input("the image does not fit the device", "work-group of growing size",
                        "read fewer texels");
    }
    Launch launch;
    launch.kernel = fmt::format("same-data-{}", warps);
    launch.local = {warps * device.simulation.machine.warp_size, 1, 1};
    launch.images.push_back(
        {.name = "data",
         .extent = {static_cast<std::int32_t>(width), static_cast<std::int32_t>(height)},
         .bytes_per_texel = options.bytes_per_texel});
    const Variable step{slots::first_loop_slot, "r", {0, texels - 1}};
    const IndexExpr r(step);
    launch.body.emplace_back(
        Loop{.variable = step,
             .body = {AccessFunction{.image = 0, .x = mod(r, width), .y = floor_div(r, width)}}});
    return launch;
}

OccupancyWaves measure_occupancy_waves(const DeviceProfile& device,
                                       const OccupancyWavesOptions& options,
                                       const Progress& progress, const StopToken& stop)
{
    validate(device.simulation);
    const int most_warps = most_warps_of(device, options);
    OccupancyWaves data;
    data.texels = texels_of(device, options);
    std::size_t done = 0;
    for (const int unroll : options.unrolls) {
        const SimulationOptions bench = occupancy_waves_device(device.simulation, options, unroll);
        OccupancyWaves::Series series{unroll, occupancy(bench).warps, {}};
        for (int warps = 1; warps <= most_warps; ++warps) {
            const std::unique_ptr<TraceSource> source =
                make_trace_source(occupancy_waves_launch(device, options, warps));
            const SimulationResult result = simulate(*source, bench, {}, stop);
            series.points.push_back({warps, result.occupancy_groups, result.l1.miss_rate(),
                                     result.time(bench.machine).value()});
            tell(progress, "work-groups", ++done,
                 options.unrolls.size() * static_cast<std::size_t>(most_warps));
        }
        data.series.push_back(std::move(series));
    }
    return data;
}

ExperimentResult run_occupancy_waves(const ExperimentDevice& device, const Progress& progress,
                                     const StopToken& stop)
{
    const DeviceProfile& profile = device.profile;
    const OccupancyWavesOptions options;
    const OccupancyWaves data = measure_occupancy_waves(profile, options, progress, stop);
    const SimulationOptions first =
        occupancy_waves_device(profile.simulation, options, options.unrolls.front());
    const SimulationOptions last =
        occupancy_waves_device(profile.simulation, options, options.unrolls.back());
    const double kib = static_cast<double>(data.texels * options.bytes_per_texel.value) / 1024;
    ExperimentResult::Conditions conditions{
        {"device", profile.name},
        {"layout", to_string(profile.simulation.machine.layout)},
        {"work-group", fmt::format("one of 1 to {} warps of {} threads, on one core",
                                   data.series.front().points.back().warps,
                                   profile.simulation.machine.warp_size)},
        {"reads",
         fmt::format(
             "every thread the same {} texels in row order: {:.0f} KiB{}", data.texels, kib,
             profile.simulation.machine.has_l2()
                 ? fmt::format(", {:.2f} times the L2",
                               kib * 1024 /
                                   static_cast<double>(
                                       profile.simulation.machine.l2().geometry.capacity.value))
                 : std::string("; there is no L2"))},
        {"unrolling", list(data, &OccupancyWaves::Series::unroll)},
        {"registers of a thread", fmt::format("{} to {}", *first.kernel.registers_per_item,
                                              *last.kernel.registers_per_item)},
        {"occupancy",
         list(data, &OccupancyWaves::Series::occupancy) + " warps (paper: from 14 down to 4)"},
        {"arithmetic",
         fmt::format("{:.3g} to {:.3g} cycles of a warp between two reads",
                     first.kernel.alu_cycles_per_step, last.kernel.alu_cycles_per_step)},
        {"not simulated",
         "several reads of one warp under way at once, which unrolling allows on a device"},
    };
    return {std::move(conditions), table_of(data), occupancy_waves_findings(data),
            plot_of(data, profile)};
}

} // namespace texelscope::experiments
