#include "workbench/probes/stream_rates.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace texelscope::workbench::probes {

// Elements a nanosecond, from the difference of a launch and one of half its reads, so that what a
// launch starts with drops out. The reads are doubled until a launch takes a millisecond.
std::vector<double> stream_rates(Target& target, Stream stream, const ProbeOptions& options)
{
    constexpr double long_enough_ns = 1e6;
    constexpr std::int64_t most_reads = std::int64_t{1} << 20;
    constexpr int few = 3;
    // Once through the array in the first half.
    stream.reads = 2 * Stream::unroll;
    while (stream.reads < most_reads &&
           stream.reads * stream.local * stream.groups < 2 * stream.elements) {
        stream.reads *= 2;
    }
    while (stream.reads < most_reads && median(target.run(stream, few)) < long_enough_ns) {
        check_stop(options.stop);
        stream.reads *= 2;
    }
    const std::vector<double> whole = target.run(stream, options.samples);
    stream.reads /= 2;
    const double half = median(target.run(stream, options.samples));
    const double elements = static_cast<double>(stream.reads) * stream.local * stream.groups;
    // Twice the reads take twice as long, but for what a launch starts with.
    constexpr double least_growth = 0.2;
    if (median(whole) * (1 - least_growth) < half) {
        throw missing(
            fmt::format("{} reads take {:.4g} ns, half as many {:.4g} ns: no rate follows",
                        2 * stream.reads, median(whole), half),
            target.info().name, "measure again while the machine is quiet");
    }
    std::vector<double> rates;
    for (const double ns : whole) {
        if (ns > half) {
            rates.push_back(elements / (ns - half));
        }
    }
    return rates;
}

bool add_rates(ProbeCurve& curve, double x, double scale, Target& target, const Stream& stream,
               const ProbeOptions& options, std::vector<std::string>& notes)
{
    check_stop(options.stop);
    try {
        ProbePoint point{x, stream_rates(target, stream, options)};
        for (double& rate : point.samples) {
            rate *= scale;
        }
        curve.points.push_back(std::move(point));
        return true;
    } catch (const Error& error) {
        if (target.info().simulated) {
            throw;
        }
        notes.push_back(
            fmt::format("{}, {:.0f} {}: {}", curve.name, x, curve.x_label, error.what()));
        return false;
    }
}

void fill_device(Stream& stream, const TargetInfo& info)
{
    constexpr std::int32_t groups_of_a_core = 8;
    constexpr std::int64_t items = 256;
    stream.groups = groups_of_a_core * info.compute_units;
    stream.local = static_cast<std::int32_t>(std::min(items, info.max_work_group));
}

const ProbePoint& fastest(const ProbeCurve& curve)
{
    return *std::ranges::max_element(curve.points, {},
                                     [](const ProbePoint& point) { return median(point); });
}

} // namespace texelscope::workbench::probes
