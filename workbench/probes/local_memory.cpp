#include "base/error.hpp"
#include "workbench/probes/measurements.hpp"
#include "workbench/probes/scattered.hpp"
#include "workbench/probes/stream_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

constexpr std::int64_t element_bytes = 16;
constexpr std::int64_t word_bytes = 4;

ProbeCurve latencies(Target& target, const ProbeOptions& options)
{
    constexpr std::int64_t least = 1024;
    constexpr std::int64_t reads = 4096;
    std::mt19937_64 random(options.seed);
    ProbeCurve curve{"local latency over size", "bytes of the array", "latency [ns per read]",
                     true};
    for (std::int64_t bytes = least; bytes <= target.info().local_memory; bytes *= 2) {
        check_stop(options.stop);
        const auto count = static_cast<std::int32_t>(bytes / element_bytes);
        Chase chase;
        chase.memory = MemorySpace::local;
        chase.extent = {count, 1};
        chase.walk = scattered({chase.extent, {1, 1}}, count, true, random);
        chase.warm_passes = 1;
        chase.passes = static_cast<int>(std::max<std::int64_t>(1, reads / count));
        curve.points.push_back({static_cast<double>(bytes), target.chase(chase, options.samples)});
    }
    return curve;
}

ProbeCurve rates(Target& target, const ProbeOptions& options, std::vector<std::string>& notes)
{
    // Small enough that several groups find room on a core.
    const std::int64_t bytes = std::min<std::int64_t>(4096, target.info().local_memory);
    ProbeCurve curve{"local over vector width", "numbers of a read", "bandwidth [GB/s]", true};
    for (const int width : {1, 2, 4, 8, 16}) {
        Stream stream;
        stream.memory = MemorySpace::local;
        stream.width = width;
        stream.elements = bytes / (width * word_bytes);
        fill_device(stream, target.info());
        add_rates(curve, width, static_cast<double>(width * word_bytes), target, stream, options,
                  notes);
    }
    return curve;
}

} // namespace

ProbeResult probe_local_memory(Target& target, const Known&, const ProbeOptions& options)
{
    if (target.info().simulated) {
        throw missing("local memory is not simulated", target.info().name);
    }
    ProbeResult result;
    ProbeCurve latency = latencies(target, options);
    if (latency.points.empty()) {
        result.notes.push_back("the device says that it has less than 1 KB of local memory");
        return result;
    }
    const double ns = median(latency.points.front());
    result.findings.push_back(
        {"latency.local.ns", ns, "ns",
         fmt::format("a chase over {:.0f} bytes; index arithmetic is part of it",
                     latency.points.front().x)});
    if (const double clock = target.info().clock_mhz; clock > 0) {
        result.findings.push_back({"latency.local", ns * clock / 1000, "cycles",
                                   fmt::format("the same at {} MHz", clock)});
    }
    result.curves.push_back(std::move(latency));
    ProbeCurve bandwidth = rates(target, options, result.notes);
    if (bandwidth.points.empty()) {
        return result;
    }
    const ProbePoint& best = fastest(bandwidth);
    result.findings.push_back(
        {"bandwidth.local", median(best), "GB/s",
         fmt::format("neighbouring elements of {:.0f} numbers, all cores", best.x)});
    bandwidth.marks.push_back({best.x, best.x, best.x, "fastest"});
    result.curves.push_back(std::move(bandwidth));
    return result;
}

} // namespace texelscope::workbench::probes
