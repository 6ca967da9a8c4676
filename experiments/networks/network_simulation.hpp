#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "networks/plan/plan.hpp"
#include "sim/result/simulation_result.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::experiments {

/// A kernel of a network on the simulated device.
struct SimulatedKernel {
    std::optional<Nanoseconds> time;     ///< nothing where it cannot be simulated
    double simulated_share = 1;          ///< of its warp accesses, in what the time and the stalls are of
    std::vector<StallStatistics> stalls; ///< of each core, in the part that was simulated in time
    CacheStatistics l1;                  ///< of all its reads, sum over the cores
    CacheStatistics l2;
};

/// Each kernel of a plan as a launch of its own from a warm L2; kernels of the same text are simulated once. `most_accesses`: of
/// simulated_time(). Throws Interrupted.
[[nodiscard]] std::vector<SimulatedKernel> simulate_network(const networks::Plan& plan, const DeviceProfile& device,
                                                            std::int64_t most_accesses, const Progress& progress = {},
                                                            const StopToken& stop = {});

} // namespace texelscope::experiments
