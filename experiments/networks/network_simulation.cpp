#include "experiments/networks/network_simulation.hpp"

#include "base/error.hpp"
#include "codegen/text/kernel_source.hpp"
#include "experiments/study/buffer_reads.hpp"
#include "experiments/study/study.hpp"
#include "sim/sampled_time.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

namespace texelscope::experiments {
namespace {

SimulatedKernel simulate_kernel(const LoopNest& nest, const DeviceProfile& device, std::int64_t most_accesses,
                                const StopToken& stop)
{
    const LoopNest rows = buffers_as_rows(nest);
    SimulationOptions options = options_for(rows, device);
    options.miss_kinds = false;
    const std::int64_t most = most_accesses == 0 ? std::numeric_limits<std::int64_t>::max() : most_accesses;
    sim::SampledTime sampled = sampled_time(launch_of(rows), options, most, stop);
    SimulatedKernel kernel;
    kernel.time = sampled.time;
    kernel.simulated_share =
        static_cast<double>(sampled.simulated_accesses) / static_cast<double>(std::max<std::int64_t>(sampled.accesses, 1));
    kernel.stalls = std::move(sampled.stalls);
    return kernel;
}

} // namespace

std::vector<SimulatedKernel> simulate_network(const networks::Plan& plan, const DeviceProfile& device,
                                              std::int64_t most_accesses, const Progress& progress,
                                              const StopToken& stop)
{
    std::map<std::string, SimulatedKernel> known;
    std::vector<SimulatedKernel> kernels;
    for (const networks::PlannedKernel& planned : plan.kernels) {
        tell(progress, "simulating kernels", kernels.size(), plan.kernels.size());
        const auto [found, added] = known.try_emplace(opencl_text(planned.nest, codegen::TexelBackend::native));
        if (added) {
            try {
                found->second = simulate_kernel(planned.nest, device, most_accesses, stop);
            } catch (const Error&) { // the device has no room for it, or its profile no price
            }
        }
        kernels.push_back(found->second);
    }
    return kernels;
}

} // namespace texelscope::experiments
