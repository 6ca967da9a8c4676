#include "experiments/study/simulated_time.hpp"

#include "experiments/study/study.hpp"
#include "sim/sampled_time.hpp"

#include <limits>

namespace texelscope::experiments {

Nanoseconds simulated_time(const LoopNest& nest, const DeviceProfile& device, std::int64_t most_accesses,
                           const StopToken& stop)
{
    SimulationOptions options = options_for(nest, device);
    options.miss_kinds = false; // nobody asks, and the time is the same
    const std::int64_t most = most_accesses == 0 ? std::numeric_limits<std::int64_t>::max() : most_accesses;
    return sampled_time(launch_of(nest), options, most, stop).time;
}

} // namespace texelscope::experiments
