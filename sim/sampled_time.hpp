#pragma once

#include "base/stop.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_result.hpp"
#include "traces/launch.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::sim {

struct SequenceMemory;

/// The time of a launch, as extrapolated from a simulation of parts of it.
struct SampledTime {
    Nanoseconds time{0};
    std::int64_t accesses = 0;           ///< warp accesses of the launch, as if all guards passed
    std::int64_t simulated_accesses = 0; ///< warp accesses simulated, in all parts together
    std::vector<StallStatistics> stalls; ///< of each simulated core, in the last part
    /// Whether the launch was simulated as a whole.
    [[nodiscard]] bool whole() const { return simulated_accesses == accesses; }
};

/// The time of a launch in the timed mode. A launch with more than about `most_accesses` warp
/// accesses is extrapolated from simulations of parts of it:
///
/// - Work-groups run in waves; a wave is as many as all cores hold at once. The launch is cut to
///   its first wave and as many groups as the last, partial wave has; then to one wave more. The
///   time that this wave adds is the time of every further wave.
/// - Where a wave alone is too long, the longest loop of the work-items is cut as well. The loop
///   alone, without what is around it, is simulated with two lengths, one twice the other. The time
///   that the second half adds is that of every further iteration. Then every whole wave takes as
///   long as the first one, since between two waves so much is read that L2 keeps nothing, and the
///   partial one as long as a launch of its own.
///
/// Such sampling is how long-running kernels are simulated elsewhere, e.g. Principal Kernel
/// Analysis (Avalos Baddouh et al., MICRO 2021) and Photon (Liu et al., MICRO 2023).
/// docs/benchmarks.md has its errors. At the start of each part, caches are empty, as in
/// simulate(); with `before`, L2 is as the launches of a sequence left it. Throws what simulate()
/// throws.
[[nodiscard]] SampledTime sampled_time(const Launch& launch, const SimulationOptions& options,
                                       std::int64_t most_accesses = 20'000,
                                       const StopToken& stop = {},
                                       const SequenceMemory* before = nullptr);

/// Number of warp accesses that sampled_time() simulates. It is much greater than `most_accesses`
/// where the first wave is long and has no loop to cut.
[[nodiscard]] std::int64_t sampled_accesses(const Launch& launch, const SimulationOptions& options,
                                            std::int64_t most_accesses = 20'000);

} // namespace texelscope::sim
