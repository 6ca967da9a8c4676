#include "experiments/probes/host.hpp"

#include "experiments/probes/copies.hpp"

#include <utility>

namespace texelscope {

ProbeResult probe_host(Target& target, const Known& known, const ProbeOptions& options)
{
    ProbeCurve launches{"launch overhead", "", "time of a launch that does nothing [ns]", false, {}, {}};
    launches.points.push_back({0, target.launch_overhead(4 * options.samples)});
    const double overhead = median(launches.points[0]);
    ProbeResult result = measure_copies(target, known, options);
    result.findings.insert(result.findings.begin(),
                           {"launch.overhead", overhead, "ns", {}, "from the call to the kernel's end"});
    result.curves.insert(result.curves.begin(), std::move(launches));
    return result;
}

} // namespace texelscope
