#include "experiments/probes/stream_rates.hpp"

#include <algorithm>

namespace texelscope {

std::vector<double> stream_rates(Target& target, Stream stream, const ProbeOptions& options)
{
    constexpr double long_enough_ns = 1e6;
    constexpr std::int64_t most_reads = std::int64_t{1} << 20;
    constexpr int few = 3;
    // Once through the array in the first half.
    stream.reads = 2 * Stream::unroll;
    while (stream.reads < most_reads && stream.reads * stream.local * stream.groups < 2 * stream.elements) {
        stream.reads *= 2;
    }
    while (stream.reads < most_reads && median(target.run(stream, few)) < long_enough_ns) {
        check_interrupt(options);
        stream.reads *= 2;
    }
    const std::vector<double> whole = target.run(stream, options.samples);
    stream.reads /= 2;
    const double half = median(target.run(stream, options.samples));
    const double elements = static_cast<double>(stream.reads) * stream.local * stream.groups;
    std::vector<double> rates;
    for (const double ns : whole) {
        rates.push_back(elements / std::max(1.0, ns - half));
    }
    return rates;
}

void fill_device(Stream& stream, const TargetInfo& info)
{
    constexpr std::int32_t groups_of_a_core = 8;
    constexpr std::int64_t items = 256;
    stream.groups = groups_of_a_core * info.compute_units;
    stream.local = static_cast<std::int32_t>(std::min(items, info.max_work_group));
}

std::vector<double> scaled(std::vector<double> rates, double bytes)
{
    for (double& rate : rates) {
        rate *= bytes;
    }
    return rates;
}

} // namespace texelscope
