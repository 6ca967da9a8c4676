#include "workbench/tuning/tuned.hpp"

#include "base/parallel.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/tuning/stored_correction.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace texelscope::workbench::tuning {
namespace {

/// By the model alone.
void rank(Tuned& tuned, const Progress& progress, const StopToken& stop)
{
    const TuneQuestion& asked = tuned.question;
    const auto& [variant, calibration] = tuned.model->order;
    const ConfigurationSpace& space = tuned.model->space;
    const Ranking ranking = asked.strategy.rank(
        {asked.op, asked.device, space, calibration, variant, stop}, asked.top,
        [&](double fraction) { tell(progress, "ranking", 0.1 + 0.9 * fraction, 1); },
        by_variant(asked.op, asked.device, space, calibration, next_variant(variant), stop));
    tuned.judge_name = "the model";
    tuned.evaluated = ranking.evaluated;
    tuned.not_priced = ranking.not_priced;
    tuned.refusal = ranking.refusal;
    tuned.rows = ranked_rows(ranking);
}

/// Takes over what a search has found so far.
void take(Tuned& tuned, const StrategyResult& result, const ConfigurationSpace& space)
{
    const std::vector<Trial>& trials = result.search.trials;
    tuned.evaluated = std::ssize(trials);
    tuned.rough = std::ranges::count_if(trials, &Trial::rough);
    tuned.failed =
        std::ranges::count_if(trials, [](const Trial& trial) { return !trial.time.has_value(); });
    tuned.ruled_out = result.ruled_out;
    tuned.chance_left = result.chance_left;
    tuned.by_model = !result.model.best.empty();
    tuned.interrupted = result.search.interrupted;
    tuned.rows = ranked_rows(result, space, tuned.question.top);
}

/// What is known before a judge was asked: the model's order.
Tuned before_trials(const Tuned& tuned, const StrategyResult& result)
{
    Tuned ranked = tuned;
    ranked.judge = Judge::model;
    ranked.judge_name = "the model";
    ranked.evaluated = result.model.evaluated;
    ranked.not_priced = result.model.not_priced;
    ranked.rows = ranked_rows(result.model);
    const std::size_t top = tuned.question.top;
    ranked.rows.resize(top == 0 ? ranked.rows.size() : std::min(top, ranked.rows.size()));
    return ranked;
}

/// What repeats say of the fastest that a device ran: at most half as many runs as the search had,
/// in the time that is left.
SettledLeaders leaders_of(const StrategyResult& result, const TimesOf& again,
                          const std::function<bool()>& in_time, const StopToken& stop)
{
    constexpr std::int64_t least = 8;
    std::int64_t left = std::max(least, std::ssize(result.search.trials) / 2);
    return settled_leaders(
        result.search, again, {},
        [&](std::int64_t runs) {
            left -= runs;
            return left >= 0 && in_time();
        },
        stop);
}

/// Asking a judge; `space`: all of what is searched.
void search(Tuned& tuned, const ConfigurationSpace& space, const std::string& program,
            const Progress& progress, const StopToken& stop, const TunedSoFar& so_far)
{
    const TuneQuestion& asked = tuned.question;
    const Strategy& strategy = asked.strategy;
    std::optional<ResultStore> store;
    if (!asked.store.empty()) {
        store.emplace(asked.store);
    }
    std::optional<OpenClDevice> runner;
    if (!asked.on.empty()) {
        runner.emplace(asked.on, asked.how);
        runner->expect_kernels(); // the model ranks meanwhile
    }
    const OperatorTimer timer =
        runner ? device_timer(asked.op, *runner, asked.run, asked.seed, program)
               : simulator_timer(asked.device, asked.sample, program, stop);
    const TimesOf times_of =
        times_in(timer, asked.op, space, store ? &*store : nullptr, &tuned.answers);
    std::optional<TimesOf> quick;
    if (!runner && strategy.screens) {
        quick = times_in(
            simulator_timer(asked.device, SimulatedPart{.first_wave = true}, program, stop),
            asked.op, space, store ? &*store : nullptr, &tuned.answers);
    }
    const std::optional<std::int64_t> own_runs = quick ? strategy.screens : strategy.runs;
    const SearchBudget budget{asked.budget.value_or(own_runs.value_or(space.size())), asked.seconds,
                              runner ? 1 : processor_threads()};
    std::optional<MeasuredCorrection> others;
    if (strategy.across_shapes && store && runner) {
        others = stored_correction(*store, timer.key, asked.op, asked.device, stop);
    }
    tuned.judge = runner ? Judge::device : Judge::simulator;
    tuned.judged_on = timer.key.device;
    tuned.judge_name = runner ? runner->info().name : "the simulator";
    const auto tell_so_far = [&](const StrategyResult& known) {
        if (!so_far) {
            return;
        }
        if (known.search.trials.empty()) {
            so_far(before_trials(tuned, known));
            return;
        }
        Tuned now = tuned;
        take(now, known, space);
        so_far(now);
    };
    const auto start = std::chrono::steady_clock::now();
    const auto in_time = [&] {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
        return !asked.seconds || passed.count() < *asked.seconds;
    };
    const auto allowed = [&](const Schedule& schedule) {
        return within_limits(asked.op, schedule, *runner);
    };
    StrategyResult result = run_strategy(
        strategy, {.op = asked.op,
                   .device = asked.device,
                   .space = space,
                   .times_of = times_of,
                   .budget = budget,
                   .seed = asked.seed,
                   .progress = progress,
                   .stop = stop,
                   .order = tuned.model ? tuned.model->order : ModelOrder{},
                   .others = others ? &*others : nullptr,
                   .allowed = runner ? allowed : std::function<bool(const Schedule&)>(),
                   .quick = quick ? &*quick : nullptr,
                   .so_far = tell_so_far});
    if (runner && !result.search.interrupted) {
        tell(progress, "repeats of the fastest", 1, 1);
        tuned.leaders = leaders_of(
            result, repeats_in(timer, asked.op, space, store ? &*store : nullptr), in_time, stop);
        result.search = with_leaders(std::move(result.search), *tuned.leaders);
    }
    take(tuned, result, space);
}

} // namespace

Tuned tune(TuneQuestion question, const std::string& program, const Progress& progress,
           const StopToken& stop, const TunedSoFar& so_far)
{
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [start] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    Tuned tuned;
    tuned.question = std::move(question);
    const TuneQuestion& asked = tuned.question;
    const bool ranks = asked.strategy.judge == Judge::model;
    if (ranks) {
        tell(progress, "listing configurations", 0, 1);
    }
    SearchedSpace searched =
        searched_space(asked.strategy, asked.op, asked.device, asked.parts, asked.where);
    tuned.parts = searched.parts;
    tuned.space = std::move(searched.counts);
    if (ranks || asked.strategy.by_model) {
        if (ranks) {
            tell(progress, "calibrating", 0.05, 1);
        }
        tuned.model =
            ordering_model(asked.model, asked.op, asked.device, std::move(searched.space), stop);
    }
    if (ranks) {
        rank(tuned, progress, stop);
    } else {
        search(tuned, tuned.model ? tuned.model->space : searched.space, program, progress, stop,
               so_far ? [&](Tuned known) {
                   known.seconds = seconds();
                   so_far(known);
               } : TunedSoFar());
    }
    tuned.seconds = seconds();
    return tuned;
}

} // namespace texelscope::workbench::tuning
