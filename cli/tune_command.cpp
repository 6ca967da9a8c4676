#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/fit_argument.hpp"
#include "cli/live_text.hpp"
#include "cli/machines_output.hpp"
#include "cli/model_arguments.hpp"
#include "cli/parts_argument.hpp"
#include "cli/place_arguments.hpp"
#include "cli/ranked_table.hpp"
#include "cli/terminal.hpp"
#include "cli/where_argument.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "workbench/machines/machines_json.hpp"
#include "workbench/report/tuned_json.hpp"
#include "workbench/tuning/baseline_rules.hpp"
#include "workbench/tuning/tuned.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace texelscope::cli {
namespace {

/// Options for strategies that ask a judge.
struct SearchArguments {
    std::optional<std::int64_t> budget; ///< runs; nothing: the strategy's own
    std::optional<double> seconds;      ///< wall clock
    std::int64_t sample = 20'000;       ///< warp accesses of a simulation; 0: all
    PlaceArguments place;
    std::string on;    ///< OpenCL device that judges; empty: the simulator
    std::string store; ///< file; empty: none
    RunOptions run;

    void add_to(CLI::App& parser)
    {
        parser
            .add_option(
                "--budget", budget,
                fmt::format(
                    "configurations that a search judges at most; else 1 ({}), 64 ({}), of which "
                    "32 where the simulator judges first roughly ({}), else all",
                    strategy_names([](const Strategy& s) { return s.runs == 1; }),
                    strategy_names([](const Strategy& s) { return s.runs == 64; }),
                    strategy_names([](const Strategy& s) { return s.screens.has_value(); })))
            ->check(CLI::PositiveNumber);
        parser.add_option("--time", seconds, "seconds after which a search judges nothing more")
            ->check(CLI::PositiveNumber);
        add_sample(parser, sample);
        parser.add_option(
            "--on", on,
            "OpenCL device whose runs judge, instead of the simulator: index, or part of "
            "a platform's or "
            "device's name");
        place.add_to(parser);
        parser.add_option(
            "--store", store,
            "file of results: what is in it is not judged again, what is judged goes into it");
        add_samples(parser, run);
    }
};

/// Configurations among which --robust chooses.
constexpr std::size_t robust_candidates = 64;

struct TuneArguments {
    OperatorArguments op;
    DeviceArguments device;
    ModelArguments model;
    std::optional<std::string> strategy; ///< nothing: the default
    SearchArguments search;
    PartsArgument parts;
    WhereArgument where;
    FitArgument fit;
    std::size_t top = 10;
    bool robust = false;
    bool list_baselines = false;
};

/// What every baseline that has a rule for the operator would try, as texts for --config.
int print_baselines(const TuneArguments& arguments, const GlobalOptions& global)
{
    const Operator op = arguments.op.parsed_operator();
    const DeviceProfile device = arguments.device.profile();
    ordered_json out = json_result("baselines");
    out["op"] = op.name;
    out["shape"] = op.shape;
    out["device"] = device.name;
    ordered_json lists = ordered_json::array();
    std::string text;
    for (const BaselineRow& baseline : all_baselines()) {
        std::vector<Schedule> schedules;
        try {
            schedules = baseline.schedules(op, device);
        } catch (const Error& error) {
            print_note(global, error.what());
            continue;
        }
        ordered_json configs = ordered_json::array();
        text += fmt::format("{}: {} configurations\n", baseline.name, schedules.size());
        for (const Schedule& schedule : schedules) {
            configs.push_back(to_string(schedule));
            text += "  " + to_string(schedule) + "\n";
        }
        lists.push_back({{"name", baseline.name}, {"configs", configs}});
    }
    out["baselines"] = lists;
    print_result(global, out, text);
    return exit_code::done;
}

/// Throws bad_input for options that the strategy, or whoever judges, would not look at: an option
/// without effect would look as if it had one.
void refuse_unused(const CLI::App& parser, const TuneArguments& arguments, const Strategy& strategy)
{
    if (arguments.list_baselines) {
        refuse_options(parser,
                       {"--strategy", "--parts", "--where", "--budget", "--time", "--sample",
                        "--on", "--agent", "--opencl", "--store", "--samples", "--prune",
                        "--prune-loads", "--calibration", "--variant", "--top", "--fit"},
                       "to --list-baselines");
        return;
    }
    const std::string to_strategy = "to --strategy " + strategy.name;
    const bool judged = strategy.judge != Judge::model;
    if (judged && !strategy.by_model) {
        refuse_options(parser, ModelArguments::names(), to_strategy,
                       "leave it out, or use a strategy that asks the model, such as shortlist");
    }
    if (!judged) {
        refuse_options(parser,
                       {"--budget", "--time", "--sample", "--on", "--agent", "--opencl", "--store",
                        "--samples"},
                       to_strategy,
                       "leave it out, or use a strategy that searches, such as shortlist");
    } else if (strategy.judge == Judge::device || !arguments.search.on.empty()) {
        refuse_options(parser, {"--sample"}, "where a device judges");
    } else {
        refuse_options(parser, {"--samples", "--agent", "--opencl"},
                       "to the simulator, which judges", "leave it out, or add --on DEVICE");
    }
    if (arguments.model.variant == to_string(ModelVariant::bottleneck)) {
        refuse_options(parser, {"--calibration"}, "to --variant bottleneck, which needs none");
    }
    if (!arguments.model.prunes) {
        refuse_options(parser, {"--prune-loads"}, "without --prune",
                       "leave it out, or add --prune");
    }
    if (strategy.judge == Judge::device && arguments.search.on.empty()) {
        throw bad_input("no device is named", "--strategy " + strategy.name,
                        "add --on, e.g. --on pocl");
    }
}

std::string pruning_text(const OrderingModel& model)
{
    if (!model.pruned) {
        return "";
    }
    const SpaceCounts& pruned = *model.pruned;
    std::string text = model.shared_once ? "nothing is left where each work-item's loads count "
                                           "(--prune-loads each-item): loads that "
                                           "work-items share are counted once\n"
                                         : "";
    text +=
        fmt::format("pruned {} of {} configurations, {} are left\n", count_text(model.excluded()),
                    count_text(pruned.size), count_text(pruned.kept)) +
        format_table({"criterion", "excludes first", "excludes by itself"}, pruned.conditions,
                     [](const SpaceCounts::Condition& criterion) -> Cells {
                         return {criterion.text, count_text(criterion.excluded),
                                 count_text(criterion.alone)};
                     });
    for (const std::string& line : model.off) {
        text += "off: " + line + "\n";
    }
    if (pruned.kept == 0) {
        text += "nothing is left to rank: name fewer criteria, or count loads with --prune-loads "
                "shared-once\n";
    }
    return text;
}

/// What a judge was asked: "matmul 64,64,64 on adreno-740: 240 configurations of shortlist, ...".
std::string judged_line(const Tuned& tuned)
{
    const auto part = [](std::int64_t count, const char* of) {
        return count > 0 ? fmt::format(", {} {}", count_text(count), of) : std::string();
    };
    return fmt::format("{} configurations of {}, {} evaluated by {} in {:.2f} s{}{}{}{}\n",
                       count_text(tuned.space.size), tuned.question.strategy.name,
                       count_text(tuned.evaluated), tuned.judge_name, tuned.seconds,
                       part(tuned.rough, "of them roughly"),
                       part(tuned.answers.from_store, "from the store"),
                       part(tuned.answers.wall_clock, "timed by the wall clock"),
                       part(tuned.failed, "of them cannot run"));
}

std::string ranked_line(const Tuned& tuned)
{
    const std::string& strategy = tuned.question.strategy.name;
    return fmt::format("{} configurations{}, {} evaluated by the model in {:.2f} s\n",
                       count_text(tuned.space.size),
                       strategy == "model" || strategy == "descent" ? "" : " of " + strategy,
                       tuned.evaluated < tuned.space.size ? count_text(tuned.evaluated) : "all",
                       tuned.seconds);
}

std::string tuned_text(const Tuned& tuned)
{
    const TuneQuestion& asked = tuned.question;
    const bool judged = tuned.judge != Judge::model;
    std::string text = where_text(tuned.space) + (tuned.model ? pruning_text(*tuned.model) : "") +
                       fmt::format("{} on {}: {}", to_string(asked.op), asked.device.name,
                                   judged ? judged_line(tuned) : ranked_line(tuned));
    std::string order = tuned.by_model ? "the model orders them" : "their texts order them";
    if (tuned.model) {
        const auto& [variant, why] = tuned.model->choice;
        text += fmt::format("ordered by {}{}: {}{}, registers {}\n", tuned.judge_name,
                            judged ? ", from the first of the model" : "", to_string(variant),
                            why.empty() ? "" : " (" + why + ")", registers_text(asked.device));
        if (!judged) {
            order = asked.strategy.name == "descent"
                        ? "they are in the order of the space"
                        : to_string(next_variant(variant)) + ", then their texts, order them";
        }
    }
    if (tuned.chance_left) {
        text += fmt::format("chance that another configuration takes 1 % less: {:.0f} %\n",
                            100 * *tuned.chance_left);
    }
    if (tuned.leaders && tuned.leaders->repeats > 0) {
        text += fmt::format(
            "{} repeats of the {} fastest: a kernel's time differs by {:.1f} % from "
            "repeat to repeat; {}\n",
            tuned.leaders->repeats, tuned.leaders->leaders.size(), 100 * tuned.leaders->noise,
            tuned.leaders->settled ? "the first is the fastest"
                                   : "they may be as fast as each other");
    }
    return text + not_priced_text(tuned.not_priced, tuned.refusal) +
           ranked_table(tuned.rows, time_word(tuned.judge), order);
}

int tune_and_print(const CLI::App& parser, const TuneArguments& arguments,
                   const GlobalOptions& global)
{
    const Strategy strategy = strategy_or_default(arguments.strategy, !arguments.search.on.empty());
    refuse_unused(parser, arguments, strategy);
    if (arguments.list_baselines) {
        return print_baselines(arguments, global);
    }
    TuneQuestion question{.strategy = strategy,
                          .op = arguments.op.parsed_operator(),
                          .device = arguments.device.profile(),
                          .parts = arguments.parts.parts(),
                          .top = arguments.top,
                          .seed = global.seed,
                          .budget = arguments.search.budget,
                          .seconds = arguments.search.seconds,
                          .sample = arguments.search.sample,
                          .on = arguments.search.on,
                          .how = arguments.search.place.runner_options(),
                          .store = arguments.search.store,
                          .run = arguments.search.run};
    question.where = constraints(arguments.where.conditions, question.op);
    if (!arguments.fit.file.empty()) {
        std::optional<OpenClDevice> runner;
        if (!question.on.empty()) {
            runner.emplace(question.on, question.how);
        }
        question.device =
            arguments.fit.of(std::move(question.device), runner ? &*runner : nullptr, global);
    }
    const DeviceProfile device = question.device;
    const auto machines = machines_of(device);
    if (arguments.robust && !machines) {
        throw bad_input("nobody knows which machines " + device.name + " can be", "--robust",
                        "take a profile that identify --kernels wrote");
    }
    if (arguments.robust && question.top > 0) {
        question.top = std::max(question.top, robust_candidates);
    }
    question.model = arguments.model.question(device, global.seed);
    if (parser.count("--strategy") == 0 && !question.budget && !question.seconds) {
        constexpr double patience = 60; // of who only asks for the best
        question.seconds = patience;
    }
    if (arguments.robust && strategy.screens && question.on.empty() && !question.budget) {
        question.budget = robust_candidates;
    }
    LiveText live(global);
    Tuned tuned = tune(std::move(question), TEXELSCOPE_VERSION, make_progress(global), interrupted,
                       [&](const Tuned& so_far) { live.show(tuned_text(so_far)); });
    end_progress(global);
    live.wipe();
    const std::optional<double>& patience = tuned.question.seconds;
    if (patience && tuned.seconds >= *patience && tuned.evaluated == 0 && !tuned.interrupted) {
        throw bad_input("nothing was judged in that time", fmt::format("--time {}", *patience),
                        "give it more seconds");
    }
    const OverMachinesOutput over =
        machines && !tuned.interrupted
            ? tuned_over_machines(*machines, tuned.question.device, tuned.question.op, tuned.rows,
                                  arguments.robust, arguments.top)
            : OverMachinesOutput{};
    if (global.json) {
        ordered_json json = json_result("tune", tuned_json(tuned));
        if (!over.json.is_null()) {
            json["over_machines"] = over.json;
        }
        print_json(json);
    } else {
        print_text(tuned_text(tuned) + over.text);
    }
    if (tuned.interrupted) {
        throw Interrupted{};
    }
    return exit_code::done;
}

} // namespace

Command tune_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser =
        app.add_subcommand("tune", "ranks all configurations of an operator for a device");
    const auto arguments = std::make_shared<TuneArguments>();
    arguments->op.add_to(*parser, false);
    arguments->device.add_to(*parser);
    arguments->device.add_registers_to(*parser);
    arguments->model.add_to(*parser);
    parser
        ->add_option(
            "--strategy", arguments->strategy,
            "what is searched and who answers (shortlist; with --on bayesian); by the model: " +
                strategy_names([](const Strategy& s) { return s.judge == Judge::model; }) +
                "; asking a judge: " +
                strategy_names([](const Strategy& s) { return s.judge != Judge::model; }))
        ->check([](const std::string& name) {
            try {
                (void)parse_strategy(name);
                return std::string();
            } catch (const Error& error) {
                return std::string(error.what());
            }
        });
    arguments->parts.add_to(*parser);
    arguments->where.add_to(*parser);
    arguments->search.add_to(*parser);
    arguments->fit.add_to(*parser);
    parser->add_flag(
        "--list-baselines", arguments->list_baselines,
        "prints what each baseline would try, as texts for --config, and searches nothing");
    parser->add_flag("--robust", arguments->robust,
                     "of the first 64, in the order of what each loses over the machines that the "
                     "device can be, in the mean");
    parser->add_option("--top", arguments->top, "how many to print; 0 = all")
        ->check(CLI::NonNegativeNumber);
    return {parser,
            [&global, parser, arguments] { return tune_and_print(*parser, *arguments, global); },
            true};
}

} // namespace texelscope::cli
