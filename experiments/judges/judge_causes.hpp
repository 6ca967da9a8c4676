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

/// What the bottleneck model and the simulator, which has simulated the whole launch, count of one
/// kernel.
struct ComparedCounts {
    double predicted_ns = 0;
    double sampled_ns = 0; ///< by a sample of the launch
    double simulated_ns = 0;
    double launch_ns = 0; ///< of these, of an empty kernel
    BottleneckCost model;
    CacheStatistics l1; ///< simulated, kinds of misses told apart
    CacheStatistics l2;
    StallStatistics stalls;    ///< of all cores
    double resident_warps = 0; ///< of a core, on average over the time
    std::int64_t l1_lines = 0; ///< that the L1 has
    int spilled_registers = 0; ///< of a work-item
    bool in_l2 = false;        ///< all of it was there before, so that misses there take no time
    /// L1 misses where a warp has one read under way; nothing: it has in any case.
    std::optional<std::int64_t> misses_of_single_reads;
};
/// Throws as predict() and simulate() do.
[[nodiscard]] ComparedCounts compared_counts(const Operator& op, const Schedule& schedule,
                                             const DeviceProfile& device,
                                             const Calibration& calibration, double sampled_ns,
                                             const StopToken& stop = {});

/// Why the model's time is not the simulator's.
enum class Cause {
    close, ///< they are within 10 %
    /// It is more than 10 % from the whole launch, which the model is nearer to, within 25 %.
    sample,
    launch,  ///< most of the time is that of an empty kernel
    lookups, ///< of L1
    l1_misses,
    l2_misses,
    warps,   ///< resident on a core
    spills,  ///< counts agree, and registers are kept in memory
    overlap, ///< counts agree: how what they cost adds up
};
[[nodiscard]] std::string to_string(Cause cause);

struct Disagreement {
    Cause cause = Cause::close;
    std::string text; ///< with both sides' numbers
};
/// Of the counts by which the judges differ by a quarter or more, and in the direction of their
/// times: the one by which they differ most, as a ratio. Misses count where they are 5 % of the
/// lookups or more for one of both.
[[nodiscard]] Disagreement disagreement_of(const ComparedCounts& counts);

} // namespace texelscope::experiments
