#include "experiments/romou/romou_chase.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/progress.hpp"
#include "devices/profile/device_profile.hpp"
#include "devices/targets/target.hpp"
#include "experiments/shared/within.hpp"
#include "model/walks/simulated_walks.hpp"
#include "sim/simulate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <span>

namespace texelscope::experiments {
// The four statements of figure 6, each decided from the latencies of all strides and ranges:
// capacity(), line(), overlap(), flat().
namespace {

using Series = StridedChase::Series;
using Point = StridedChase::Point;

constexpr double same = 0.02; ///< latencies that differ by less count as the same

constexpr std::int64_t paper_capacity = 256 * 4; ///< bytes

constexpr int warm_passes = 2; ///< that fill the caches before the one that counts

double slowest(const StridedChase& data)
{
    return std::ranges::max(
        mapped(data.series, [](const Series& one) { return one.points.back().latency.value; }));
}

std::string bytes_text(const StridedChase& data, std::int64_t elements)
{
    return fmt::format("{} elements of {} B = {} B", elements, data.element.value,
                       elements * data.element.value);
}

/// For every stride the knee must lie at the paper's 256 elements, to the step of the ranges.
Finding capacity(const StridedChase& data)
{
    Finding finding{"the L1 texture cache holds 256 elements of 4 B, to one step of the ranges",
                    "latency increases greatly beyond 256 x 4 B (section 3.1, figure 6)", ""};
    std::vector<std::string> knees;
    bool all = true;
    for (const Series& series : data.series) {
        const auto last = last_hit_range(series);
        if (!last) {
            continue;
        }
        const auto next = std::ranges::upper_bound(series.points, *last, {}, &Point::range);
        knees.push_back(fmt::format("stride {}: {} B", series.stride, *last * data.element.value));
        // The true capacity lies between the last fast range and the next one that was read.
        all = all && *last * data.element.value <= paper_capacity &&
              paper_capacity < next->range * data.element.value;
    }
    if (knees.empty()) {
        finding.ours = "no range is slower than the smallest";
        return finding;
    }
    finding.ours = fmt::format("the last range that is read as fast as the smallest: {}",
                               fmt::join(knees, ", "));
    finding.verdict = verdict_of(all);
    return finding;
}

/// The stride from which on every read beyond the capacity misses is the line: no two reads share
/// one.
Finding line(const StridedChase& data)
{
    const auto stride = line_stride(data);
    return {"a line of the L1 has 32 B: reads that are so far apart all miss",
            "cacheline of 32 B (section 3.1, figure 6)",
            stride ? fmt::format("beyond the capacity reads take longest from a stride of {} on",
                                 bytes_text(data, *stride))
                   : "no stride is slower than the smallest range",
            stride ? verdict_of(*stride * data.element.value == 32) : Verdict::not_tested};
}

/// Whether the curves of all strides of a line and more lie on each other at every range.
Finding overlap(const StridedChase& data)
{
    // At the ranges around the knee strides may differ, so not all ranges count; the share is ours.
    constexpr double most_ranges = 0.95;
    Finding finding{
        "the lines of all strides of a line and more overlap, within 2 % at 95 % of the ranges",
        "the lines after stride 8 are overlapped (section 3.1, figure 6)", ""};
    const auto stride = line_stride(data);
    const auto first = std::ranges::find(data.series, stride, &Series::stride);
    if (data.series.end() - first < 2) {
        finding.ours = "fewer than two such strides were read";
        return finding;
    }
    double worst = 0;
    std::size_t together = 0;
    for (std::size_t i = 0; i < first->points.size(); ++i) {
        double apart = 0;
        for (auto other = first + 1; other != data.series.end(); ++other) {
            const double expected = first->points[i].latency.value;
            apart = std::max(apart, std::abs(other->points[i].latency.value - expected) / expected);
        }
        together += apart <= same ? 1 : 0;
        worst = std::max(worst, apart);
    }
    finding.ours = fmt::format(
        "at {} of {} ranges, {:.1f} % apart at most, of {} strides from {} elements on", together,
        first->points.size(), 100 * worst, data.series.end() - first, *stride);
    finding.verdict = verdict_of(static_cast<double>(together) >=
                                 most_ranges * static_cast<double>(first->points.size()));
    return finding;
}

/// A cyclic walk through an LRU cache misses always once it is larger than the cache; only a range
/// of up to one line more is in between.
Finding flat(const StridedChase& data)
{
    Finding finding{"once the range is larger than the capacity by a line, its size does not "
                    "matter, within 2 %",
                    "flat after 264 x 4 B; a normal cache would have increasing latency up to 384 "
                    "(section 3.1)",
                    "", Verdict::not_tested};
    const auto stride = line_stride(data);
    const auto series = std::ranges::find(data.series, stride, &Series::stride);
    const auto last = series == data.series.end() ? std::nullopt : last_hit_range(*series);
    if (!last) {
        finding.ours = "no range is slower than the smallest";
        return finding;
    }
    const std::span beyond(
        std::ranges::upper_bound(series->points, *last + *stride, {}, &Point::range),
        series->points.end());
    // One range alone is always flat.
    if (beyond.size() < 2) {
        finding.ours = "fewer than two ranges are larger than that";
        return finding;
    }
    const auto [low, high] = std::ranges::minmax_element(beyond, {}, &Point::latency);
    finding.ours =
        fmt::format("{:.1f} to {:.1f} ns at stride {}, from {} to {} elements", low->latency.value,
                    high->latency.value, *stride, beyond.front().range, beyond.back().range);
    finding.verdict = verdict_of(high->latency.value <= (1 + same) * low->latency.value);
    return finding;
}

/// The ranges that are read, in elements: from half to one and a half of an L1.
struct Ranges {
    std::int64_t first = 1;
    std::int64_t last = 1;
    std::int64_t step = 1;
};
Ranges ranges_of(const CacheGeometry& l1, Bytes element)
{
    constexpr std::int64_t steps = 32;
    const std::int64_t capacity = l1.capacity.value / element.value;
    const std::int64_t step = std::max<std::int64_t>(1, capacity / steps);
    return {capacity / 2, capacity / 2 + steps * step, step};
}

/// The latencies of all ranges and strides; `latency` is of one range and stride.
using Latency = std::function<Nanoseconds(std::int64_t range, std::int64_t stride)>;
StridedChase chased(const CacheGeometry& l1, Bytes element, const Latency& latency,
                    const Progress& progress, const StopToken& stop)
{
    const Ranges ranges = ranges_of(l1, element);
    const std::int64_t line = std::max<std::int64_t>(1, l1.line.value / element.value);
    std::vector<std::int64_t> strides;
    // Up to two lines, to see that beyond one line nothing changes any more.
    for (std::int64_t stride = std::max<std::int64_t>(1, line / 8); stride <= 2 * line;
         stride *= 2) {
        strides.push_back(stride);
    }
    StridedChase data{element, {}};
    for (const std::int64_t stride : strides) {
        Series series{stride, {}};
        for (std::int64_t range = ranges.first; range <= ranges.last; range += ranges.step) {
            check_stop(stop);
            series.points.push_back({range, latency(range, stride)});
        }
        data.series.push_back(std::move(series));
        tell(progress, "strides", data.series.size(), strides.size());
    }
    return data;
}

/// Every so many elements of a range, in an image that is `width` texels wide.
std::vector<Texel> strided_walk(std::int64_t range, std::int64_t stride, std::int64_t width)
{
    std::vector<Texel> walk;
    for (std::int64_t at = 0; at < range; at += stride) {
        walk.push_back(
            {static_cast<std::int32_t>(at % width), static_cast<std::int32_t>(at / width)});
    }
    return walk;
}

PanelPlot plot_of(const StridedChase& data, const ExperimentDevice& device)
{
    PanelPlot plot;
    plot.title = "Latency of a read over data range and stride: " + device.name();
    plot.x_label = fmt::format("data range, elements of {} B", data.element.value);
    plot.left_label = "latency, ns";
    plot.rule_label = "capacity of the L1";
    plot.panel_width = 560;
    const std::vector<Point>& points = data.series.front().points;
    const auto low = static_cast<double>(points.front().range);
    const auto high = static_cast<double>(points.back().range);
    plot.x_low = low;
    plot.x_high = high;
    constexpr int ticks = 4;
    for (int i = 0; i <= ticks; ++i) {
        plot.x_ticks.push_back(low + (high - low) * i / ticks);
    }
    PanelPlot::Panel panel;
    panel.rules = {
        static_cast<double>(device.profile.simulation.machine.l1().geometry.capacity.value) /
        static_cast<double>(data.element.value)};
    int colour = 1;
    for (const Series& series : data.series) {
        PanelPlot::Curve curve{
            fmt::format("stride {}", series.stride), colour++, PanelPlot::Axis::left, {}};
        for (const Point& point : series.points) {
            curve.points.push_back({static_cast<double>(point.range), point.latency.value,
                                    fmt::format("stride {}, {} elements: {:.1f} ns", series.stride,
                                                point.range, point.latency.value)});
        }
        panel.curves.push_back(std::move(curve));
    }
    plot.panels = {std::move(panel)};
    return plot;
}

ResultTable table_of(const StridedChase& data)
{
    ResultTable table{{"stride", "range", "bytes", "ns"}, {}};
    for (const Series& series : data.series) {
        for (const Point& point : series.points) {
            table.rows.push_back({series.stride, point.range, point.range * data.element.value,
                                  point.latency.value});
        }
    }
    return table;
}

} // namespace

StridedChase measure_strided_chase(const DeviceProfile& device, const Progress& progress,
                                   const StopToken& stop)
{
    // Rows of one linear memory; the tables of a short row are smaller than those of a long one.
    constexpr std::int32_t width = 1024;
    const Bytes element = StridedChase{}.element;
    SimulationOptions options = chase_options(device.simulation);
    options.machine.layout = LayoutSpec{};
    validate(options);
    const CacheGeometry& l1 = options.machine.l1().geometry;
    const auto largest = static_cast<std::int32_t>(ranges_of(l1, element).last);
    const Image image{.name = "data",
                      .extent = {width, (largest + width - 1) / width},
                      .bytes_per_texel = element};
    const auto latency = [&](std::int64_t range, std::int64_t stride) {
        const std::vector<Texel> walk = strided_walk(range, stride, width);
        const auto time = [&](int passes) {
            return simulate(*chase_source(image, walk, passes), options, {}, stop)
                .time(options.machine)
                .value()
                .value;
        };
        // The rounds before have filled the caches; the difference of two runs is one round without
        // the start.
        const double once = time(warm_passes + 1) - time(warm_passes);
        return Nanoseconds{once / static_cast<double>(walk.size())};
    };
    return chased(l1, element, latency, progress, stop);
}

StridedChase measure_strided_chase(Target& target, const DeviceProfile& device,
                                   const Progress& progress, const StopToken& stop)
{
    constexpr Bytes element{16}; // RGBA float32, as every chase of a target has it
    constexpr int samples = 15;
    const CacheGeometry& l1 = device.simulation.machine.l1().geometry;
    const std::int64_t width = ranges_of(l1, element).last;
    if (width > target.info().largest_image.width) {
        throw missing(fmt::format("the row of {} texels is wider than an image there can be, {}",
                                  width, target.info().largest_image.width),
                      target.info().name);
    }
    const auto latency = [&](std::int64_t range, std::int64_t stride) {
        const Chase chase{.extent = {static_cast<std::int32_t>(width), 1},
                          .walk = strided_walk(range, stride, width),
                          .warm_passes = warm_passes};
        return Nanoseconds{median(target.chase(chase, samples))};
    };
    return chased(l1, element, latency, progress, stop);
}

std::optional<std::int64_t> last_hit_range(const StridedChase::Series& series)
{
    const auto slower = std::ranges::find_if(series.points, [&](const Point& point) {
        return !within(same, point.latency.value, series.points.front().latency.value);
    });
    if (slower == series.points.end()) {
        return std::nullopt;
    }
    // The last one before the first that is slower.
    return (slower - 1)->range;
}

std::optional<std::int64_t> line_stride(const StridedChase& data)
{
    const double most = slowest(data);
    if (within(same, most, data.series.front().points.front().latency.value)) {
        return std::nullopt;
    }
    return std::ranges::find_if(data.series,
                                [&](const Series& series) {
                                    return within(same, series.points.back().latency.value, most);
                                })
        ->stride;
}

std::vector<Finding> romou_chase_findings(const StridedChase& data)
{
    return {capacity(data), line(data), overlap(data), flat(data)};
}

ExperimentResult run_romou_chase(const ExperimentDevice& device, const Progress& progress,
                                 const StopToken& stop)
{
    const StridedChase data = device.real() ? measure_strided_chase(*gpu_target(*device.on, stop),
                                                                    device.profile, progress, stop)
                                            : measure_strided_chase(device.profile, progress, stop);
    const CacheGeometry& l1 = device.profile.simulation.machine.l1().geometry;
    const std::vector<Point>& points = data.series.front().points;
    ExperimentResult::Conditions conditions{
        {"device", device.real() ? device.text() : device.name()},
        {"L1 of the profile",
         fmt::format("{} B in lines of {} B, {}", l1.capacity.value, l1.line.value,
                     l1.ways == 0 ? std::string("fully associative")
                                  : fmt::format("{} ways", l1.ways))},
        {"kernel", "one work-item goes round and round, each read once the one before has come "
                   "back; the first two "
                   "rounds are not counted"},
        {"image", fmt::format("one row of elements of {} B, {}", data.element.value,
                              device.real() ? "in memory as the device lays out such an image"
                                            : "one after the other in memory")},
        {"ranges", fmt::format("{} to {} elements in steps of {}", points.front().range,
                               points.back().range, points[1].range - points[0].range)},
    };
    return {std::move(conditions), table_of(data), decided_on(device, romou_chase_findings(data)),
            plot_of(data, device)};
}

} // namespace texelscope::experiments
