#include "cli/tune_search.hpp"

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/parts_argument.hpp"
#include "cli/ranked_table.hpp"
#include "cli/terminal.hpp"
#include "cli/where_argument.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "workbench/tuning/operator_timer.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace texelscope::cli {

void SearchArguments::add_to(CLI::App& parser)
{
    parser
        .add_option(
            "--budget", budget,
            fmt::format(
                "configurations that a search judges at most; else 1 ({}), 64 ({}), else all",
                strategy_names([](const Strategy& s) { return s.runs == 1; }),
                strategy_names([](const Strategy& s) { return s.runs == 64; })))
        ->check(CLI::PositiveNumber);
    parser.add_option("--time", seconds, "seconds after which a search judges nothing more")
        ->check(CLI::PositiveNumber);
    add_sample(parser, sample);
    parser.add_option("--on", on,
                      "OpenCL device whose runs judge, instead of the simulator: index, or part of "
                      "a platform's or "
                      "device's name");
    parser.add_option(
        "--store", store,
        "file of results: what is in it is not judged again, what is judged goes into it");
    add_samples(parser, run);
}

int search_and_print(const TuneQuestion& question, const GlobalOptions& global)
{
    const Strategy& strategy = question.strategy;
    const Operator& op = question.op;
    const DeviceProfile& device = question.device;
    const SearchArguments& arguments = question.search;
    if (strategy.judge == Judge::device && arguments.on.empty()) {
        throw bad_input("no device is named", "--strategy " + strategy.name,
                        "add --on, e.g. --on pocl");
    }
    const auto start = std::chrono::steady_clock::now();
    SearchedSpace searched = searched_space(strategy, op, device, question.parts, question.where);
    std::optional<TuneModel> model;
    if (strategy.by_model) {
        model = tune_model(question.model, op, device, std::move(searched.space), global.seed);
    }
    const ConfigurationSpace& space = model ? model->space : searched.space;
    SearchBudget budget;
    // Without --budget the strategy's own, and the whole space where it has none.
    budget.runs = arguments.budget.value_or(strategy.runs.value_or(space.size()));
    budget.seconds = arguments.seconds;
    std::optional<ResultStore> store;
    if (!arguments.store.empty()) {
        store.emplace(arguments.store);
    }
    std::optional<OpenClDevice> runner;
    if (!arguments.on.empty()) {
        runner.emplace(arguments.on);
    }
    const OperatorTimer timer =
        runner ? device_timer(op, *runner, arguments.run, global.seed, TEXELSCOPE_VERSION)
               : simulator_timer(device, arguments.sample, TEXELSCOPE_VERSION, interrupted);
    JudgeCounts counts;
    const TimeOf time_of = times_in(timer, op, space, store ? &*store : nullptr, &counts);
    const StrategyResult result = run_strategy(
        strategy, {op, device, space, time_of, budget, global.seed, make_progress(global),
                   interrupted, model ? model->order : ModelOrder{}});
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    end_progress(global);
    if (budget.seconds && seconds >= *budget.seconds && result.search.trials.empty() &&
        !result.search.interrupted) {
        throw bad_input("nothing was judged in that time",
                        fmt::format("--time {}", *budget.seconds), "give it more seconds");
    }
    const std::vector<RankedRow> rows = ranked_rows(result, space, question.top);
    const std::int64_t failed = std::ranges::count_if(
        result.search.trials, [](const Trial& trial) { return !trial.time.has_value(); });
    if (global.json) {
        ordered_json out = json_result("tune");
        out["op"] = op.name;
        out["shape"] = op.shape;
        out["device"] = device.name;
        out["registers"] = registers_text(device);
        out["strategy"] = strategy.name;
        out["ordered_by"] = timer.key.judge;
        out["judge"] = timer.key.judge;
        out["judged_on"] = timer.key.device;
        out["parts"] = parts_json(searched.parts);
        out["space"] = searched.counts.size;
        if (!question.where.empty()) {
            out["where"] = to_json(searched.counts);
        }
        if (model) {
            model->add_to(out);
        } else {
            out["pruned"] = result.ruled_out;
        }
        out["evaluated"] = result.search.trials.size();
        out["from_store"] = counts.from_store;
        out["wall_clock"] = counts.wall_clock;
        out["seconds"] = seconds;
        out["ranking"] = ranking_json(rows);
        print_json(out);
    } else {
        const std::string judge_name = runner ? runner->info().name : "the simulator";
        print_text(
            where_text(searched.counts) + (model ? model->pruning_text() : "") +
            fmt::format(
                "{} on {}: {} configurations of {}, {} evaluated by {} in {:.2f} s{}{}{}\n",
                to_string(op), device.name, count_text(searched.counts.size), strategy.name,
                count_text(std::ssize(result.search.trials)), judge_name, seconds,
                counts.from_store > 0
                    ? fmt::format(", {} from the store", count_text(counts.from_store))
                    : "",
                counts.wall_clock > 0
                    ? fmt::format(", {} timed by the wall clock", count_text(counts.wall_clock))
                    : "",
                failed > 0 ? fmt::format(", {} of them cannot run", count_text(failed)) : "") +
            (model ? fmt::format("ordered by {}, from the first of the model: {}, registers {}\n",
                                 judge_name, model->text(), registers_text(device))
                   : "") +
            ranked_table(rows, runner ? "measured" : "simulated",
                         result.model.best.empty() ? "their texts order them"
                                                   : "the model orders them"));
    }
    // The trials that were done are printed; the exit code says that there could have been more.
    if (result.search.interrupted) {
        throw Interrupted{};
    }
    return exit_code::done;
}

} // namespace texelscope::cli
