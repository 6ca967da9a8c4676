#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/space/where.hpp"
#include "workbench/store/result_store.hpp"
#include "workbench/study/study_request.hpp"
#include "workbench/tuning/operator_timer.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace texelscope::workbench::tuning {

/// Which configurations of an operator on a device a sweep judges.
enum class SweepChoice {
    random,    ///< drawn from the whole space
    shortlist, ///< the first of the bottleneck model
};
/// "random", "shortlist". Throws bad_input for another one.
[[nodiscard]] SweepChoice parse_sweep_choice(const std::string& text);

/// Every operator on every device, with so many configurations each.
struct SweepPlan {
    std::vector<Operator> operators;
    std::vector<DeviceProfile> devices;
    /// Keys of those that are searched; empty: priced_parts(), or drawn_parts().
    std::string parts = {};
    /// Conditions on the configurations (constraints()), for every operator.
    std::vector<std::string> where;
    SweepChoice choice = SweepChoice::random;
    /// Of each operator and device, as many as there are at most.
    std::int64_t configurations = 64;
    std::int64_t most_accesses = 20'000; ///< of one simulation (simulator_timer())
    std::uint64_t seed = 1;
    /// Whose runs judge, instead of the simulator; the profiles give the spaces.
    const OpenClDevice* on = nullptr;
    RunOptions run = {}; ///< there
};

/// One configuration to judge, as numbers within the plan.
struct SweepTask {
    std::size_t op = 0;
    std::size_t device = 0;
    Schedule schedule;
};

/// The tasks of a plan, and what its conditions leave of all spaces together.
struct SweepTasks {
    std::vector<SweepTask> tasks;
    SpaceCounts where;
};
/// The same ones in the same order wherever it is asked. Throws bad_input where an operator fits no
/// device, for conditions that are malformed for one, and where they leave nothing of a space.
[[nodiscard]] SweepTasks sweep_tasks(const SweepPlan& plan, const Progress& progress = {},
                                     const StopToken& stop = {});

/// Judges tasks, by number: calls `done(number, result)` for each of `wanted`, in any order but one
/// at a time. It may throw Interrupted.
using SweepWorkers = std::function<void(
    const std::vector<std::size_t>& wanted, const std::function<StoredResult(std::size_t)>& judge,
    const std::function<void(std::size_t, StoredResult)>& done)>;

/// Threads of this process.
[[nodiscard]] SweepWorkers sweep_threads(int threads, const StopToken& stop = {});

/// What became of a sweep.
struct SweepResult {
    SpaceCounts where; ///< of all spaces together
    std::int64_t tasks = 0;
    std::int64_t from_store = 0; ///< known before
    std::int64_t judged = 0;
    std::int64_t illegal = 0; ///< beyond a limit of their device: nothing to judge
    /// Over keys, configurations, statuses and times of all tasks, in their order: the same for the
    /// same answers, whoever gave them.
    std::string digest;
};

/// Judges what the store does not know yet; each answer goes into it at once, so a sweep that ends
/// early goes on where it was. `program`: version for the keys. Throws Interrupted, with what is
/// done in the store.
[[nodiscard]] SweepResult sweep(const SweepPlan& plan, ResultStore& store,
                                const std::string& program, const SweepWorkers& workers,
                                const Progress& progress = {}, const StopToken& stop = {});

/// Who judges, by [operator * devices + device]. The plan must outlive them.
[[nodiscard]] std::vector<OperatorTimer>
sweep_timers(const SweepPlan& plan, const std::string& program, const StopToken& stop = {});

/// One legal task judged, by workers that know the plan; without the digest of the kernel.
[[nodiscard]] StoredResult
judge_task(const SweepPlan& plan, const std::vector<OperatorTimer>& judges, const SweepTask& task);

} // namespace texelscope::workbench::tuning
