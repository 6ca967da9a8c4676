#include "workbench/tuning/operator_timer.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
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
#include <set>
#include <utility>

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
    const auto answers = [key = timer.key, &device, options, seed,
                          problems](const Operator& of, std::span<const LegalKernel> kernels) {
        const auto start = std::chrono::steady_clock::now();
        const std::vector<CheckedRun> runs = run_checked(
            of,
            mapped(kernels,
                   [&](const LegalKernel& kernel) {
                       const auto& problem = problems->of(kernel.schedule.storage);
                       return KernelToCheck{kernel.nest, problem.inputs, problem.reference};
                   }),
            device, options);
        const double each = ns_since(start) / static_cast<double>(runs.size());
        std::vector<StoredResult> results;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            results.push_back(stored_result(key, of, kernels[i].schedule, runs[i]));
            results.back().times.total = each;
            results.back().seed = seed;
        }
        return results;
    };
    timer.answer = [answers](const Operator& of, const Schedule& schedule, const LoopNest& nest) {
        const LegalKernel only{schedule, nest};
        return std::move(answers(of, std::span(&only, 1)).front());
    };
    if (device.prefers_batches()) {
        timer.answers = answers;
    }
    if (device.builds_ahead()) {
        timer.ahead = [&device, options](const std::vector<LoopNest>& nests) {
            device.build_ahead(nests, options);
        };
    }
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

/// A configuration with all that is needed to ask for it.
struct Question {
    Schedule schedule;
    LoopNest nest;
    ResultKey key; ///< without the kernel where there is no store
};

/// Where answers are kept and counted, by one thread at a time.
class Answers {
public:
    Answers(ResultStore* store, JudgeCounts* counts) : store_(store), counts_(counts) {}

    /// Nothing for a configuration that is illegal or breaks a limit.
    [[nodiscard]] std::optional<Question> question(const OperatorTimer& timer, const Operator& op,
                                                   const Schedule& schedule) const
    {
        std::optional<LoopNest> nest = nest_or_nothing(timer, op, schedule);
        if (!nest) {
            return std::nullopt;
        }
        Question question{schedule, std::move(*nest), timer.key};
        if (store_ != nullptr) {
            question.key.kernel = kernel_digest(question.nest, timer.backend);
        }
        return question;
    }
    [[nodiscard]] std::optional<StoredResult> known(const Question& question)
    {
        const std::scoped_lock lock(mutex_);
        std::optional<StoredResult> found;
        if (store_ != nullptr) {
            found = store_->find(question.key);
        }
        if (found) {
            count(&JudgeCounts::from_store, *found);
        }
        return found;
    }
    [[nodiscard]] bool has(const Question& question)
    {
        const std::scoped_lock lock(mutex_);
        return store_ != nullptr && store_->find(question.key);
    }
    StoredResult judged(const Question& question, StoredResult result)
    {
        result.key.kernel = question.key.kernel;
        result.timestamp = utc_timestamp();
        const std::scoped_lock lock(mutex_);
        count(&JudgeCounts::judged, result);
        if (store_ != nullptr) {
            store_->put(result);
        }
        return result;
    }
    /// The samples are added to those that are there.
    void repeated(const Question& question, StoredResult result)
    {
        if (store_ == nullptr) {
            return;
        }
        result.key.kernel = question.key.kernel;
        result.timestamp = utc_timestamp();
        const std::scoped_lock lock(mutex_);
        if (const auto known = store_->find(result.key); known && known->status == RunStatus::ok) {
            result.samples_ns.insert(result.samples_ns.begin(), known->samples_ns.begin(),
                                     known->samples_ns.end());
        }
        store_->put(result);
    }

private:
    void count(std::int64_t JudgeCounts::*kind, const StoredResult& result) const
    {
        if (counts_ != nullptr) {
            ++(counts_->*kind);
            counts_->wall_clock += result.wall_clock ? 1 : 0;
        }
    }

    ResultStore* store_;
    JudgeCounts* counts_;
    std::mutex mutex_;
};

std::optional<StoredResult> judged(const OperatorTimer& timer, const Operator& op,
                                   const Schedule& schedule, Answers& answers)
{
    const std::optional<Question> question = answers.question(timer, op, schedule);
    if (!question) {
        return std::nullopt;
    }
    if (auto known = answers.known(*question)) {
        return known;
    }
    return answers.judged(*question, timer.answer(op, schedule, question->nest));
}

std::optional<Nanoseconds> time_of(const StoredResult& result)
{
    return result.status == RunStatus::ok ? std::optional(Nanoseconds{result.median_ns()})
                                          : std::nullopt;
}

/// The timer's answers to those questions, together where it gives them so.
std::vector<StoredResult> answers_to(const OperatorTimer& timer, const Operator& op,
                                     const std::vector<Question>& questions)
{
    if (!timer.answers || questions.size() < 2) {
        return mapped(questions, [&](const Question& question) {
            return timer.answer(op, question.schedule, question.nest);
        });
    }
    return timer.answers(op, mapped(questions, [](const Question& question) {
                             return LegalKernel{question.schedule, question.nest};
                         }));
}

} // namespace

std::optional<StoredResult> judged(const OperatorTimer& timer, const Operator& op,
                                   const Schedule& schedule, ResultStore* store,
                                   JudgeCounts* counts)
{
    Answers answers(store, counts);
    return judged(timer, op, schedule, answers);
}

TimesOf times_in(const OperatorTimer& timer, const Operator& op, const ConfigurationSpace& space,
                 ResultStore* store, JudgeCounts* counts)
{
    const auto answers = std::make_shared<Answers>(store, counts);
    TimesOf times = [timer, &op, &space, answers](std::int64_t index) {
        const std::optional<StoredResult> result = judged(timer, op, space.at(index), *answers);
        return result ? time_of(*result) : std::nullopt;
    };
    if (timer.answers) {
        times.together = [timer, &op, &space, answers](std::span<const std::int64_t> indices) {
            std::vector<std::optional<Nanoseconds>> all(indices.size());
            std::vector<Question> questions;
            std::vector<std::size_t> asked;
            for (std::size_t i = 0; i < indices.size(); ++i) {
                auto question = answers->question(timer, op, space.at(indices[i]));
                if (!question) {
                    continue;
                }
                if (const auto known = answers->known(*question)) {
                    all[i] = time_of(*known);
                } else {
                    questions.push_back(std::move(*question));
                    asked.push_back(i);
                }
            }
            std::vector<StoredResult> results = answers_to(timer, op, questions);
            for (std::size_t k = 0; k < asked.size(); ++k) {
                all[asked[k]] = time_of(answers->judged(questions[k], std::move(results[k])));
            }
            return all;
        };
    }
    if (timer.ahead) {
        times.ahead = [timer, &op, &space, answers, told = std::set<std::int64_t>()](
                          std::span<const std::int64_t> indices) mutable {
            std::vector<LoopNest> nests;
            for (const std::int64_t index : indices) {
                if (!told.insert(index).second) {
                    continue;
                }
                if (auto question = answers->question(timer, op, space.at(index));
                    question && !answers->has(*question)) {
                    nests.push_back(std::move(question->nest));
                }
            }
            timer.ahead(nests);
        };
    }
    return times;
}

TimesOf repeats_in(const OperatorTimer& timer, const Operator& op, const ConfigurationSpace& space,
                   ResultStore* store)
{
    const auto answers = std::make_shared<Answers>(store, nullptr);
    const auto repeat = [timer, &op, &space, answers](std::span<const std::int64_t> indices) {
        const std::vector<Question> questions = mapped(indices, [&](std::int64_t index) {
            return answers->question(timer, op, space.at(index)).value();
        });
        const std::vector<StoredResult> results = answers_to(timer, op, questions);
        for (std::size_t i = 0; i < questions.size(); ++i) {
            if (results[i].status == RunStatus::ok) {
                answers->repeated(questions[i], results[i]);
            }
        }
        return mapped(results, time_of);
    };
    TimesOf times = [repeat](std::int64_t index) { return repeat(std::span(&index, 1)).front(); };
    times.together = repeat;
    return times;
}

} // namespace texelscope::workbench::tuning
