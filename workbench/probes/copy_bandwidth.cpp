#include "model/tmmodel/latency_fit.hpp"
#include "workbench/probes/measurements.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

constexpr const char* rate_key = "fp32.multiply_adds";

/// Time over size of one kind of copy, and the line through it.
void by_size(Target& target, const ProbeOptions& options, Memory memory, bool to_device,
             ProbeResult& result)
{
    constexpr std::int64_t least = 1024;
    const std::string name =
        fmt::format("copy {} {}", to_device ? "to" : "from", to_string(memory));
    ProbeCurve curve{name, "bytes", "time [ns]", true};
    std::vector<double> bytes;
    std::vector<double> ns;
    for (std::int64_t size = least; size <= options.largest_image; size *= 4) {
        check_stop(options.stop);
        curve.points.push_back(
            {static_cast<double>(size), target.copy({size, to_device, memory}, options.samples)});
        bytes.push_back(curve.points.back().x);
        ns.push_back(median(curve.points.back()));
    }
    std::vector<std::size_t> all(bytes.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    // time = fixed + bytes / rate, fitted as if a byte were a miss: `hit` is what every copy takes,
    // `miss` what a byte adds (ns, so 1 / miss is in GB/s).
    const LatencyLine line = fit_latency(bytes, ns, all);
    const double error = mean_relative_error(line, bytes, ns, all);
    const std::string how =
        fmt::format("line through {} sizes up to {:.0f} bytes, {:.0f} % off on average; pageable "
                    "memory, a call that blocks",
                    bytes.size(), bytes.back(), 100 * error);
    const std::string key = fmt::format("copy.{}.{}", to_string(memory), to_device ? "to" : "from");
    if (line.miss > 0) {
        result.findings.push_back({key + ".rate", 1 / line.miss, "GB/s", how});
    } else {
        result.notes.push_back(name + ": the time does not grow with the size; no rate was found");
    }
    if (line.hit > 0) {
        result.findings.push_back({key + ".fixed", line.hit, "ns", how});
        const double knee = line.miss > 0 ? line.hit / line.miss : 0;
        if (knee > bytes.front() && knee < bytes.back()) {
            curve.marks.push_back({knee, knee, knee, "fixed cost as long as the bytes"});
        }
    } else {
        result.notes.push_back(name +
                               ": no fixed cost was found; the time grows faster than the size");
    }
    result.curves.push_back(std::move(curve));
}

/// Two square matrices to the device and one back, over their product at the rate that arithmetic
/// reached in registers (the question of the phone-training study, PerCom workshops 2022, section
/// IV-C; its range of n is 32 to 512).
void against_computing(Target& target, const ProbeOptions& options, double multiply_adds_per_ns,
                       ProbeResult& result)
{
    constexpr std::int64_t least = 32;
    constexpr std::int64_t most = 1024;
    ProbeCurve curve{"copying over computing", "n of an n x n SGEMM",
                     "time to copy / time to compute", true};
    for (std::int64_t n = least; n <= most; n *= 2) {
        check_stop(options.stop);
        const std::int64_t bytes = n * n * static_cast<std::int64_t>(sizeof(float));
        const std::vector<double> to = target.copy({bytes, true, Memory::buffer}, options.samples);
        const std::vector<double> from =
            target.copy({bytes, false, Memory::buffer}, options.samples);
        const auto side = static_cast<double>(n);
        const double computing = side * side * side / multiply_adds_per_ns;
        ProbePoint point{side, {}};
        for (std::size_t i = 0; i < to.size(); ++i) {
            point.samples.push_back((2 * to[i] + from[i]) / computing);
        }
        curve.points.push_back(std::move(point));
    }
    for (const ProbePoint& point : curve.points) {
        if (point.x == 512) {
            const double ratio = median(point);
            result.findings.push_back(
                {"copy.over_compute.sgemm512", ratio, "",
                 fmt::format("A and B there and C back as buffers, over 512^3 multiply-adds at the "
                             "{:.4g}e9/s of the "
                             "arithmetic probe, which no SGEMM reaches: copying is {:.0f} % of "
                             "both at most",
                             multiply_adds_per_ns, 100 * ratio / (1 + ratio))});
        }
    }
    result.curves.push_back(std::move(curve));
}

/// Measures copies of every kind (buffers and images, both directions), then compares copying with
/// computing.
ProbeResult measure_copies(Target& target, const Known& known, const ProbeOptions& options)
{
    ProbeResult result;
    for (const Memory memory : {Memory::buffer, Memory::image}) {
        for (const bool to_device : {true, false}) {
            by_size(target, options, memory, to_device, result);
        }
    }
    if (const auto rate = value_of(known, rate_key)) {
        against_computing(target, options, *rate, result);
    } else {
        result.notes.push_back(fmt::format(
            "copying is not compared with computing: that needs {} of the arithmetic probe",
            rate_key));
    }
    return result;
}

} // namespace

ProbeResult probe_host(Target& target, const Known& known, const ProbeOptions& options)
{
    ProbeCurve launches{"launch overhead", "launches", "time of a launch that does nothing [ns]"};
    const std::vector<double> each = target.launch_overhead(4 * options.samples);
    for (const double ns : each) {
        launches.points.push_back({static_cast<double>(launches.points.size() + 1), {ns}});
    }
    const double overhead = median(each);
    ProbeResult result = measure_copies(target, known, options);
    result.findings.insert(result.findings.begin(), {"launch.overhead", overhead, "ns",
                                                     "from the call to the kernel's end"});
    result.curves.insert(result.curves.begin(), std::move(launches));
    return result;
}

} // namespace texelscope::workbench::probes
