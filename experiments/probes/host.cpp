#include "experiments/probes/measurements.hpp"

#include <utility>

namespace texelscope::experiments {

ProbeResult probe_host(Target& target, const Known& known, const ProbeOptions& options)
{
    ProbeCurve launches{"launch overhead", "launches", "time of a launch that does nothing [ns]"};
    const std::vector<double> each = target.launch_overhead(4 * options.samples);
    for (const double ns : each) {
        launches.points.push_back({static_cast<double>(launches.points.size() + 1), {ns}});
    }
    const double overhead = median(each);
    ProbeResult result = measure_copies(target, known, options);
    result.findings.insert(result.findings.begin(),
                           {"launch.overhead", overhead, "ns", "from the call to the kernel's end"});
    result.curves.insert(result.curves.begin(), std::move(launches));
    return result;
}

} // namespace texelscope::experiments
