#include "experiments/probes/host.hpp"

#include "traces/error.hpp"

#include <fmt/format.h>

namespace texelscope {

namespace {

void copies(Target& target, const ProbeOptions& options, ProbeResult& result)
{
    for (const Memory memory : {Memory::buffer, Memory::image}) {
        for (const bool to_device : {true, false}) {
            const std::string name = fmt::format("copy {} {}", to_device ? "to" : "from", to_string(memory));
            ProbeCurve curve{name, "bytes", "time [ns]", true, {}, {}};
            for (std::int64_t bytes = 4096; bytes <= options.largest_image; bytes *= 4) {
                check_interrupt(options);
                curve.points.push_back(
                    {static_cast<double>(bytes), target.copy({bytes, to_device, memory}, options.samples)});
            }
            const ProbePoint& most = curve.points.back();
            result.findings.push_back(
                {name + ".rate", most.x / median(most), "GB/s", {}, fmt::format("{} bytes", most.x)});
            result.findings.push_back({name + ".time",
                                       median(curve.points.front()),
                                       "ns",
                                       {},
                                       fmt::format("{} bytes", curve.points.front().x)});
            result.curves.push_back(std::move(curve));
        }
    }
}

} // namespace

ProbeResult probe_host(Target& target, const Known&, const ProbeOptions& options)
{
    ProbeResult result;
    ProbeCurve launches{"launch overhead", "", "time of a launch that does nothing [ns]", false, {}, {}};
    launches.points.push_back({0, target.launch_overhead(4 * options.samples)});
    result.findings.push_back(
        {"launch.overhead", median(launches.points[0]), "ns", {}, "from the call to the kernel's end"});
    result.curves.push_back(std::move(launches));
    try {
        copies(target, options, result);
    } catch (const Error& error) {
        result.notes.push_back(error.what());
    }
    return result;
}

} // namespace texelscope
