#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "model/bottleneck/bottleneck.hpp"
#include "sim/result/simulation_result.hpp"
#include "workbench/study/prediction.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace texelscope::experiments {

/// What the bottleneck model and the simulator count for one kernel. The simulator has simulated
/// the whole launch.
struct ComparedCounts {
    double predicted_ns = 0;
    double sampled_ns = 0; ///< simulated time from a sample of the launch
    double simulated_ns = 0;
    double launch_ns = 0; ///< the part of these times that an empty kernel takes, too
    BottleneckCost model;
    CacheStatistics l1; ///< simulated, kinds of misses told apart
    CacheStatistics l2;
    StallStatistics stalls;    ///< of all cores
    double resident_warps = 0; ///< of a core, averaged over time
    std::int64_t l1_lines = 0; ///< lines that L1 can hold
    int spilled_registers = 0; ///< of a work-item
    /// Whether all data was in L2 before, so that misses there take no time.
    bool in_l2 = false;
    /// L1 misses of a simulation in which a warp has only one read under way; nothing where that is
    /// the case anyway.
    std::optional<std::int64_t> misses_of_single_reads;
};
/// Asks both judges about one kernel; the simulator runs the whole launch. Throws as predict() and
/// simulate() do.
[[nodiscard]] ComparedCounts compared_counts(const Operator& op, const Schedule& schedule,
                                             const DeviceProfile& device,
                                             const Calibration& calibration, double sampled_ns,
                                             const StopToken& stop = {});

/// The reason why the model's time differs from the simulator's.
enum class Cause {
    close, ///< the times differ by at most 10 %
    /// The sample is at fault: its time is more than 10 % from that of the whole launch, while the
    /// model is nearer to the whole launch than to the sample, and within 25 % of it.
    sample,
    launch,  ///< most of the time is that of an empty kernel
    lookups, ///< the numbers of L1 lookups differ
    l1_misses,
    l2_misses,
    warps,   ///< the numbers of warps resident on a core differ
    spills,  ///< counts agree, and the kernel spills registers to memory
    overlap, ///< counts agree: the judges differ in how costs overlap in time
};
[[nodiscard]] std::string to_string(Cause cause);

struct Disagreement {
    Cause cause = Cause::close;
    std::string text; ///< with both sides' numbers
};
/// Finds the cause: among the counts in which the judges differ by a quarter or more, in the same
/// direction as their times, the one with the largest ratio. Misses are considered only where they
/// are at least 5 % of the lookups for one of the judges.
[[nodiscard]] Disagreement disagreement_of(const ComparedCounts& counts);

} // namespace texelscope::experiments
