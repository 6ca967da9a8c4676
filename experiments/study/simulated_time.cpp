#include "experiments/study/simulated_time.hpp"

#include "experiments/study/study.hpp"
#include "sim/sampled_time.hpp"

namespace texelscope::experiments {

Nanoseconds simulated_time(const LoopNest& nest, const DeviceProfile& device, std::int64_t most_accesses,
                           const StopToken& stop)
{
    SimulationOptions options = options_for(nest, device);
    options.miss_kinds = false; // nobody asks, and the time is the same
    return sampled_time(launch_of(nest), options, most_accesses, stop).time;
}

} // namespace texelscope::experiments
