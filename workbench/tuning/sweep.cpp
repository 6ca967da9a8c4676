#include "workbench/tuning/sweep.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/model_descent.hpp"
#include "workbench/tuning/priced_parts.hpp"
#include "workbench/tuning/trial_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace texelscope::workbench::tuning {
namespace {

std::vector<std::int64_t> chosen(const SweepPlan& plan, const Operator& op,
                                 const DeviceProfile& device, const ConfigurationSpace& space,
                                 const StopToken& stop)
{
    const auto count = static_cast<std::size_t>(std::min(plan.configurations, space.size()));
    if (plan.choice == SweepChoice::shortlist) {
        return mapped(
            first_by_model({op, device, space, {}, ModelVariant::bottleneck, stop}, count).best,
            &RankedConfiguration::index);
    }
    std::vector<std::int64_t> indices;
    std::mt19937_64 random(plan.seed);
    DistinctDraws draws(space.size());
    while (indices.size() < count) {
        indices.push_back(*draws.next(random));
    }
    return indices;
}

const OperatorTimer& timer_of(const SweepPlan& plan, const std::vector<OperatorTimer>& judges,
                              const SweepTask& task)
{
    return judges[task.op * plan.devices.size() + task.device];
}

// A line of the text whose digest stands for the whole sweep: two sweeps with the same digest have
// the same answers.
std::string line_of(const std::optional<StoredResult>& result)
{
    return result ? fmt::format("{} {} {} {} {}\n", result->key.kernel, result->key.settings,
                                result->config, to_string(result->status),
                                result->status == RunStatus::ok ? result->median_ns() : 0)
                  : "illegal\n";
}

} // namespace

SweepChoice parse_sweep_choice(const std::string& text)
{
    if (text == "random") {
        return SweepChoice::random;
    }
    if (text == "shortlist") {
        return SweepChoice::shortlist;
    }
    throw bad_input("'" + text + "' is no choice of configurations", "--choose",
                    "use random or shortlist");
}

SweepTasks sweep_tasks(const SweepPlan& plan, const Progress& progress, const StopToken& stop)
{
    // Conditions are read for all operators before the first space is listed, so that a slip in one
    // is told at once.
    const auto where =
        mapped(plan.operators, [&](const Operator& op) { return constraints(plan.where, op); });
    SweepTasks planned;
    for (std::size_t op = 0; op < plan.operators.size(); ++op) {
        for (std::size_t device = 0; device < plan.devices.size(); ++device) {
            tell(progress, "planning", op * plan.devices.size() + device,
                 plan.operators.size() * plan.devices.size());
            const Operator& planned_op = plan.operators[op];
            const DeviceProfile& planned_device = plan.devices[device];
            const auto searched = plan.choice == SweepChoice::random ? drawn_parts : priced_parts;
            const std::string parts =
                plan.parts.empty() ? searched(planned_op, planned_device) : plan.parts;
            const std::string what =
                fmt::format("{} on {}", to_string(planned_op), planned_device.name);
            const Narrowed left =
                narrowed(configuration_space(planned_op, planned_device, {.parts = parts}),
                         conditions_of(where[op]), what);
            check_some_left(left.counts, what);
            planned.where += left.counts;
            for (const std::int64_t index :
                 chosen(plan, planned_op, planned_device, left.space, stop)) {
                planned.tasks.push_back({op, device, left.space.at(index)});
            }
        }
    }
    return planned;
}

SweepWorkers sweep_threads(int threads, const StopToken& stop)
{
    return [threads, stop](const std::vector<std::size_t>& wanted,
                           const std::function<StoredResult(std::size_t)>& judge,
                           const std::function<void(std::size_t, StoredResult)>& done) {
        std::mutex mutex;
        parallel_for(
            wanted.size(), threads,
            [&](std::size_t i) {
                StoredResult result = judge(wanted[i]);
                const std::scoped_lock lock(mutex);
                done(wanted[i], std::move(result));
            },
            stop);
    };
}

std::vector<OperatorTimer> sweep_timers(const SweepPlan& plan, const std::string& program,
                                        const StopToken& stop)
{
    std::vector<OperatorTimer> judges;
    for (const Operator& op : plan.operators) {
        for (const DeviceProfile& device : plan.devices) {
            judges.push_back(plan.on != nullptr
                                 ? device_timer(op, *plan.on, plan.run, plan.seed, program)
                                 : simulator_timer(device, plan.most_accesses, program, stop));
        }
    }
    return judges;
}

StoredResult judge_task(const SweepPlan& plan, const std::vector<OperatorTimer>& judges,
                        const SweepTask& task)
{
    return judged(timer_of(plan, judges, task), plan.operators[task.op], task.schedule).value();
}

SweepResult sweep(const SweepPlan& plan, ResultStore& store, const std::string& program,
                  const SweepWorkers& workers, const Progress& progress, const StopToken& stop)
{
    const SweepTasks planned = sweep_tasks(plan, progress, stop);
    const std::vector<SweepTask>& tasks = planned.tasks;
    const std::vector<OperatorTimer> judges = sweep_timers(plan, program, stop);
    SweepResult result;
    result.where = planned.where;
    result.tasks = std::ssize(tasks);
    std::vector<std::optional<StoredResult>> answers(tasks.size());
    std::vector<ResultKey> keys(tasks.size());
    std::vector<std::size_t> wanted;
    // First everything that the store knows already; only the others are given to the workers.
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto key = key_of(timer_of(plan, judges, tasks[i]), plan.operators[tasks[i].op],
                                tasks[i].schedule);
        if (!key) {
            ++result.illegal;
            continue;
        }
        keys[i] = *key;
        answers[i] = store.find(*key);
        result.from_store += answers[i] ? 1 : 0;
        if (!answers[i]) {
            wanted.push_back(i);
        }
    }
    workers(
        wanted, [&](std::size_t i) { return judge_task(plan, judges, tasks[i]); },
        [&](std::size_t i, StoredResult answer) {
            answer.key = keys[i];
            store.put(answer);
            answers[i] = std::move(answer);
            ++result.judged;
            tell(progress, "judging", result.judged, wanted.size());
        });
    std::string text;
    for (const auto& answer : answers) {
        text += line_of(answer);
    }
    result.digest = sha256(text);
    return result;
}

} // namespace texelscope::workbench::tuning
