#include "sim/first_wave_time.hpp"

#include "sim/options/occupancy.hpp"
#include "sim/simulate.hpp"
#include "traces/launch.hpp"
#include "traces/launch_source.hpp"

#include <algorithm>

namespace texelscope::sim {
namespace {

/// Work-groups that stand for all of them.
std::int64_t groups_to_simulate(std::int64_t groups, std::int64_t wave)
{
    const std::int64_t waves = ceil_div(groups, wave);
    return waves <= 2 ? groups : waves <= 4 ? wave + groups % wave : wave;
}

} // namespace

Nanoseconds first_wave_time(const Launch& launch, SimulationOptions options, const StopToken& stop)
{
    const Machine& machine = options.machine;
    options.mode.timed = true;
    if (machine.dispatch == Dispatch::round_robin && !options.mode.simulated_cores) {
        options.mode.simulated_cores = 1;
    }
    const std::int64_t warps = ceil_div(launch.group_size(), machine.warp_size);
    const std::int64_t wave =
        std::max<std::int64_t>(1, occupancy(options).warps / warps) * machine.cores;
    const std::int64_t groups = launch.group_count();
    Launch part = launch;
    part.first_groups = groups_to_simulate(groups, wave);
    const SimulationResult simulated = simulate(*make_trace_source(part), options, {}, stop);
    const double share = static_cast<double>(part.group_count()) / static_cast<double>(groups);
    return Nanoseconds{static_cast<double>(simulated.cycles->value) / share * 1000 /
                           machine.timing.clock_mhz +
                       machine.timing.launch_ns};
}

} // namespace texelscope::sim
