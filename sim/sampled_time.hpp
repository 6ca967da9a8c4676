#pragma once

#include "base/stop.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_result.hpp"
#include "traces/launch.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::sim {

struct SequenceMemory;

/// What a launch takes, from a simulation of a part of it.
struct SampledTime {
    Nanoseconds time{0};
    std::int64_t accesses = 0;           ///< of the launch: warp accesses, guards aside
    std::int64_t simulated_accesses = 0; ///< of them, in all parts together
    std::vector<StallStatistics> stalls; ///< of each core that was simulated, in the last part
    [[nodiscard]] bool whole() const { return simulated_accesses == accesses; }
};

/// Time of a launch by the timed mode, where it has more than about `most_accesses` warp accesses
/// from a part:
///
/// - Work-groups run in waves, of as many as all cores hold at once. The launch is cut to its first
///   wave (and what the last, partial one has), then to one wave more: what that adds is what every
///   further wave adds.
/// - Where a wave alone is too long, the longest loop of the work-items is cut as well, and without
///   what is around it to two lengths, one twice the other: what the second half adds is what every
///   further iteration adds. Then every wave counts as the first one: between two of them, so much
///   is read that L2 keeps nothing.
///
/// Such sampling is how long-running kernels are simulated elsewhere, e.g. Principal Kernel
/// Analysis (Avalos Baddouh et al., MICRO 2021) and Photon (Liu et al., MICRO 2023).
/// docs/benchmarks.md has its errors. Caches are cold at the start of each part, as in simulate(),
/// or L2 as the launches of a sequence left it (`before`). Throws what simulate() throws.
[[nodiscard]] SampledTime sampled_time(const Launch& launch, const SimulationOptions& options,
                                       std::int64_t most_accesses = 20'000,
                                       const StopToken& stop = {},
                                       const SequenceMemory* before = nullptr);

/// Warp accesses that sampled_time() simulates: many more than asked for where the first wave is
/// long and has no loop to cut.
[[nodiscard]] std::int64_t sampled_accesses(const Launch& launch, const SimulationOptions& options,
                                            std::int64_t most_accesses = 20'000);

} // namespace texelscope::sim
