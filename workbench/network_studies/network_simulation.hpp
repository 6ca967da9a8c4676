#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "networks/plan/plan.hpp"
#include "sim/result/simulation_result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// A kernel of a network on the simulated device.
struct SimulatedKernel {
    std::optional<Nanoseconds> time; ///< nothing where it cannot be simulated
    /// Of its warp accesses, in what the time and the stalls are of.
    double simulated_share = 1;
    std::vector<StallStatistics> stalls; ///< of each core, in the part that was simulated in time
    CacheStatistics l1;                  ///< of all its reads, sum over the cores
    CacheStatistics l2;
    std::string why_not; ///< one line, where there is no time
};

/// Hits and misses of the kernels of a plan, without times: see simulate_network().
[[nodiscard]] std::vector<SimulatedKernel> count_network(const networks::Plan& plan,
                                                         const DeviceProfile& device,
                                                         const Progress& progress = {},
                                                         const StopToken& stop = {});

/// The kernels of a plan one after the other, in a memory that they share: values lie in the slots
/// of the memory plan, weights behind them. What a kernel read, and after it what it wrote, is in
/// L2 for those that follow (SequenceMemory). Hits and misses are of all reads, exact in the order
/// of the untimed mode; times are of a sample of at most `most_accesses` warp accesses of each
/// kernel (sampled_time(); 0: all), from what the untimed mode left in L2. Throws Interrupted.
[[nodiscard]] std::vector<SimulatedKernel> simulate_network(const networks::Plan& plan,
                                                            const DeviceProfile& device,
                                                            std::int64_t most_accesses,
                                                            const Progress& progress = {},
                                                            const StopToken& stop = {});

/// A kernel alone, in time as above. `made`: of each input, whether it was made just before, so
/// that L2 has of it what it has room for. Throws Interrupted.
[[nodiscard]] SimulatedKernel simulated_alone(const LoopNest& nest, const std::vector<bool>& made,
                                              const DeviceProfile& device,
                                              std::int64_t most_accesses,
                                              const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
