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
    /// Share of its warp accesses that were simulated in time; `time` and `stalls` are from these.
    double simulated_share = 1;
    std::vector<StallStatistics> stalls; ///< by core, of the part that was simulated in time
    CacheStatistics l1;                  ///< of all reads of the kernel, summed over the cores
    CacheStatistics l2;
    std::string why_not; ///< where there is no time, why not, in one line
};

/// Hits and misses of the kernels of a plan, without times: see simulate_network().
[[nodiscard]] std::vector<SimulatedKernel> count_network(const networks::Plan& plan,
                                                         const DeviceProfile& device,
                                                         const Progress& progress = {},
                                                         const StopToken& stop = {});

/// Simulates the kernels of a plan one after the other in one memory. Values lie in the slots of
/// the memory plan, weights behind them. After a kernel, what it read and then what it wrote is in
/// L2 for the kernels that follow (SequenceMemory). Hits and misses count all reads, exactly, in
/// the order of the untimed mode. Times are from a sample of at most `most_accesses` warp accesses
/// of each kernel (sampled_time(); 0: all), which starts from what the untimed mode left in L2.
/// Throws Interrupted.
[[nodiscard]] std::vector<SimulatedKernel> simulate_network(const networks::Plan& plan,
                                                            const DeviceProfile& device,
                                                            std::int64_t most_accesses,
                                                            const Progress& progress = {},
                                                            const StopToken& stop = {});

/// Simulates one kernel alone, with time as simulate_network() does. `made`: by input, whether it
/// was made just before; then L2 holds as much of it as there is room for. Throws Interrupted.
[[nodiscard]] SimulatedKernel simulated_alone(const LoopNest& nest, const std::vector<bool>& made,
                                              const DeviceProfile& device,
                                              std::int64_t most_accesses,
                                              const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
