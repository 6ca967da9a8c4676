#include "experiments/networks/network_simulation.hpp"

#include "base/error.hpp"
#include "codegen/text/kernel_source.hpp"
#include "experiments/study/launch_result.hpp"

#include <map>
#include <string>

namespace texelscope::experiments {

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
                found->second.time = simulated_time(planned.nest, device, most_accesses, stop);
            } catch (const Error&) { // the device has no room for it, or its profile no price
            }
        }
        kernels.push_back(found->second);
    }
    return kernels;
}

} // namespace texelscope::experiments
