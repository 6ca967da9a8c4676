#include "workbench/tuning/operator_timer.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/launch/limits.hpp"
#include "workbench/study/launch_result.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>

namespace texelscope::workbench::tuning {
namespace {

// Everything that a simulated time depends on, as text. Its digest is part of the key of a stored
// result, so that results of other settings are not taken for these.
std::string settings_text(const DeviceProfile& device, const SimulatedPart& part)
{
    std::string text = part.first_wave ? std::string("first wave\n")
                                       : fmt::format("accesses={}\n", part.most_accesses);
    for (const Setting& setting : settings(device.simulation.machine)) {
        text += fmt::format("{}={}\n", setting.key, get(device.simulation, setting.key));
    }
    if (device.limits.buffer_l1) {
        text += fmt::format("buffers={}{}\n", device.limits.buffer_l1->value,
                            device.limits.buffers_in_l1 ? " in L1" : "");
    }
    if (device.compiler) {
        text += fmt::format("registers={}\n", device.compiler->gpu().name);
    }
    return text;
}

double ns_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
        .count();
}

/// An operator's inputs and what has to come out, as each storage holds them; made when a kernel
/// first asks.
class Problems {
public:
    Problems(const Operator& op, std::uint64_t seed) : op_(op), seed_(seed) {}

    struct Problem {
        std::vector<std::vector<float>> inputs;
        Reference reference;
    };
    const Problem& of(Storage storage)
    {
        const std::scoped_lock lock(mutex_);
        const auto [found, is_new] = known_.try_emplace(storage);
        if (is_new) {
            found->second.inputs = as_stored(random_inputs(op_, seed_), storage);
            found->second.reference = make_reference(op_, found->second.inputs, storage);
        }
        return found->second;
    }

private:
    Operator op_;
    std::uint64_t seed_;
    std::mutex mutex_;
    std::map<Storage, Problem> known_;
};

std::optional<LoopNest> nest_or_nothing(const OperatorTimer& timer, const Operator& op,
                                        const Schedule& schedule)
{
    try {
        return timer.legal_nest(op, schedule);
    } catch (const Error&) {
        return std::nullopt;
    }
}

} // namespace

LoopNest OperatorTimer::legal_nest(const Operator& op, const Schedule& schedule) const
{
    LoopNest nest = loop_nest(op, schedule);
    if (check) {
        check(nest);
    }
    return nest;
}

OperatorTimer simulator_timer(const DeviceProfile& device, std::int64_t most_accesses,
                              const std::string& program, const StopToken& stop)
{
    return simulator_timer(device, SimulatedPart{most_accesses}, program, stop);
}

OperatorTimer simulator_timer(const DeviceProfile& device, const SimulatedPart& part,
                              const std::string& program, const StopToken& stop)
{
    OperatorTimer timer;
    timer.key.judge = "simulator";
    timer.key.device = device.name;
    timer.key.program = program;
    timer.key.settings = settings_digest(settings_text(device, part));
    timer.check = [&device](const LoopNest& nest) {
        check_limits(nest, device);
        check_simulated(nest, device);
    };
    timer.answer = [key = timer.key, &device, part,
                    stop](const Operator& op, const Schedule& schedule, const LoopNest& nest) {
        StoredResult result = row_of(key, op, schedule);
        result.samples_ns = {simulated_time(nest, device, part, stop).value};
        return result;
    };
    return timer;
}

OperatorTimer device_timer(const Operator& op, const OpenClDevice& device,
                           const RunOptions& options, std::uint64_t seed,
                           const std::string& program)
{
    OperatorTimer timer;
    timer.key.judge = "device";
    timer.key.device = device.info().name;
    timer.key.driver = device.info().driver;
    timer.key.program = program;
    timer.key.settings =
        settings_digest(fmt::format("samples={}\nwarm_up={}\nnative_reads={}\nseed={}\n",
                                    options.samples, options.warm_up, options.native_reads, seed));
    timer.backend = options.native_reads ? TexelBackend::native : device.best_backend();
    const auto problems = std::make_shared<Problems>(op, seed);
    timer.answer = [key = timer.key, &device, options, seed,
                    problems](const Operator& of, const Schedule& schedule, const LoopNest& nest) {
        const auto start = std::chrono::steady_clock::now();
        const Problems::Problem& problem = problems->of(schedule.storage);
        const CheckedRun run =
            run_checked(of, nest, device, problem.inputs, problem.reference, options);
        StoredResult result = stored_result(key, of, schedule, run);
        result.times.total = ns_since(start);
        result.seed = seed;
        return result;
    };
    return timer;
}

bool within_limits(const Operator& op, const Schedule& schedule, const OpenClDevice& device)
{
    return !beyond_limits(device.info(), loop_nest(op, schedule));
}

std::optional<ResultKey> key_of(const OperatorTimer& timer, const Operator& op,
                                const Schedule& schedule)
{
    const std::optional<LoopNest> nest = nest_or_nothing(timer, op, schedule);
    if (!nest) {
        return std::nullopt;
    }
    ResultKey key = timer.key;
    key.kernel = kernel_digest(*nest, timer.backend);
    return key;
}

namespace {

/// judged() by one of several threads: store and counts serve one at a time.
std::optional<StoredResult> judged_by_thread(const OperatorTimer& timer, const Operator& op,
                                             const Schedule& schedule, ResultStore* store,
                                             JudgeCounts* counts, std::mutex& mutex)
{
    const std::optional<LoopNest> nest = nest_or_nothing(timer, op, schedule);
    if (!nest) {
        return std::nullopt;
    }
    const auto count = [&](std::int64_t JudgeCounts::*kind, const StoredResult& result) {
        if (counts != nullptr) {
            ++(counts->*kind);
            counts->wall_clock += result.wall_clock ? 1 : 0;
        }
    };
    std::string kernel; // to find the row by, without a store nobody asks
    if (store != nullptr) {
        ResultKey key = timer.key;
        key.kernel = kernel = kernel_digest(*nest, timer.backend);
        const std::scoped_lock lock(mutex);
        if (auto known = store->find(key)) {
            count(&JudgeCounts::from_store, *known);
            return known;
        }
    }
    StoredResult result = timer.answer(op, schedule, *nest);
    result.key.kernel = std::move(kernel);
    result.timestamp = utc_timestamp();
    const std::scoped_lock lock(mutex);
    count(&JudgeCounts::judged, result);
    if (store != nullptr) {
        store->put(result);
    }
    return result;
}

} // namespace

std::optional<StoredResult> judged(const OperatorTimer& timer, const Operator& op,
                                   const Schedule& schedule, ResultStore* store,
                                   JudgeCounts* counts)
{
    std::mutex alone;
    return judged_by_thread(timer, op, schedule, store, counts, alone);
}

TimeOf times_in(OperatorTimer timer, const Operator& op, const ConfigurationSpace& space,
                ResultStore* store, JudgeCounts* counts)
{
    return
        [timer = std::move(timer), &op, &space, store, counts,
         mutex = std::make_shared<std::mutex>()](std::int64_t index) -> std::optional<Nanoseconds> {
            const std::optional<StoredResult> result =
                judged_by_thread(timer, op, space.at(index), store, counts, *mutex);
            return result && result->status == RunStatus::ok
                       ? std::optional(Nanoseconds{result->median_ns()})
                       : std::nullopt;
        };
}

TimeOf repeats_in(OperatorTimer timer, const Operator& op, const ConfigurationSpace& space,
                  ResultStore* store)
{
    return [timer = std::move(timer), &op, &space,
            store](std::int64_t index) -> std::optional<Nanoseconds> {
        const Schedule schedule = space.at(index);
        const LoopNest nest = timer.legal_nest(op, schedule);
        StoredResult result = timer.answer(op, schedule, nest);
        if (result.status != RunStatus::ok) {
            return std::nullopt;
        }
        const Nanoseconds time{result.median_ns()};
        if (store != nullptr) {
            result.key.kernel = kernel_digest(nest, timer.backend);
            result.timestamp = utc_timestamp();
            if (const auto known = store->find(result.key);
                known && known->status == RunStatus::ok) {
                result.samples_ns.insert(result.samples_ns.begin(), known->samples_ns.begin(),
                                         known->samples_ns.end());
            }
            store->put(result);
        }
        return time;
    };
}

} // namespace texelscope::workbench::tuning
