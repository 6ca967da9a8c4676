#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/fit_argument.hpp"
#include "cli/parts_argument.hpp"
#include "cli/ranked_table.hpp"
#include "cli/terminal.hpp"
#include "cli/tune_model.hpp"
#include "cli/tune_search.hpp"
#include "cli/where_argument.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "workbench/study/default_variant.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/baseline_rules.hpp"
#include "workbench/tuning/strategy.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace texelscope::cli {
namespace {

// `tune`: the best configurations of an operator on a device. A strategy either ranks by the model
// alone (here) or asks a judge, simulator or device (cli/tune_search.cpp). --where, --parts and
// --prune narrow what is searched.
struct TuneArguments {
    OperatorArguments op;
    DeviceArguments device;
    ModelArguments model;
    std::string strategy = "shortlist";
    SearchArguments search;
    PartsArgument parts;
    WhereArgument where;
    FitArgument fit;
    std::size_t top = 10;
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
                        "--on", "--store", "--samples", "--prune", "--prune-loads", "--calibration",
                        "--variant", "--top", "--fit"},
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
        refuse_options(parser, {"--budget", "--time", "--sample", "--on", "--store", "--samples"},
                       to_strategy,
                       "leave it out, or use a strategy that searches, such as shortlist");
    } else if (strategy.judge == Judge::device || !arguments.search.on.empty()) {
        refuse_options(parser, {"--sample"}, "where a device judges");
    } else {
        refuse_options(parser, {"--samples"}, "to the simulator, which judges",
                       "leave it out, or add --on DEVICE");
    }
    if (arguments.model.variant == to_string(ModelVariant::bottleneck)) {
        refuse_options(parser, {"--calibration"}, "to --variant bottleneck, which needs none");
    }
    if (!arguments.model.prunes) {
        refuse_options(parser, {"--prune-loads"}, "without --prune",
                       "leave it out, or add --prune");
    }
}

/// `tune` with a strategy that the model alone ranks.
int rank_and_print(const TuneQuestion& question, const GlobalOptions& global)
{
    const Strategy& strategy = question.strategy;
    const Operator& op = question.op;
    const DeviceProfile& device = question.device;
    const Progress progress = make_progress(global);
    const auto start = std::chrono::steady_clock::now();
    const auto stage = [&](const char* name, double fraction) {
        if (progress) {
            progress(name, fraction);
        }
    };
    stage("listing configurations", 0);
    SearchedSpace searched = searched_space(strategy, op, device, question.parts, question.where);
    stage("calibrating", 0.05);
    const TuneModel model =
        tune_model(question.model, op, device, std::move(searched.space), global.seed);
    const ConfigurationSpace& space = model.space;
    const ModelOrder& order = model.order;
    const ModelVariant next = next_variant(order.variant);
    const Ranking ranking = strategy.rank(
        {op, device, space, order.calibration, order.variant, interrupted}, question.top,
        [&](double fraction) { stage("ranking", 0.1 + 0.9 * fraction); },
        by_variant(op, device, space, order.calibration, next, interrupted));
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    end_progress(global);
    if (global.json) {
        ordered_json out = json_result("tune");
        out["op"] = op.name;
        out["shape"] = op.shape;
        out["device"] = device.name;
        out["registers"] = registers_text(device);
        out["strategy"] = strategy.name;
        out["ordered_by"] = "model";
        out["parts"] = parts_json(searched.parts);
        out["space"] = searched.counts.size;
        if (!question.where.empty()) {
            out["where"] = to_json(searched.counts);
        }
        model.add_to(out);
        out["evaluated"] = ranking.evaluated;
        out["not_priced"] = ranking.not_priced;
        out["seconds"] = seconds;
        out["ranking"] = ranking_json(ranked_rows(ranking));
        print_json(out);
        return exit_code::done;
    }
    const bool whole = strategy.name != "descent";
    const std::string of = strategy.name == "model" || !whole ? "" : " of " + strategy.name;
    const std::string evaluated =
        ranking.evaluated < searched.counts.size ? count_text(ranking.evaluated) : "all";
    print_text(where_text(searched.counts) + model.pruning_text() +
               fmt::format("{} on {}: {} configurations{}, {} evaluated by the model in {:.2f} s\n"
                           "ordered by the model: {}, registers {}\n",
                           to_string(op), device.name, count_text(searched.counts.size), of,
                           evaluated, seconds, model.text(), registers_text(device)) +
               not_priced_text(ranking.not_priced, ranking.refusal) +
               ranked_table(ranked_rows(ranking), "predicted",
                            whole ? to_string(next) + ", then their texts, order them"
                                  : std::string("they are in the order of the space")));
    return exit_code::done;
}

int tune_and_print(const CLI::App& parser, const TuneArguments& arguments,
                   const GlobalOptions& global)
{
    const Strategy strategy = parse_strategy(arguments.strategy);
    refuse_unused(parser, arguments, strategy);
    if (arguments.list_baselines) {
        return print_baselines(arguments, global);
    }
    const Operator op = arguments.op.parsed_operator();
    DeviceProfile device = arguments.device.profile();
    if (!arguments.fit.file.empty()) {
        std::optional<OpenClDevice> runner;
        if (!arguments.search.on.empty()) {
            runner.emplace(arguments.search.on);
        }
        device = arguments.fit.of(std::move(device), runner ? &*runner : nullptr, global);
    }
    TuneQuestion question{strategy,
                          op,
                          std::move(device),
                          arguments.parts.parts(),
                          constraints(arguments.where.conditions, op),
                          arguments.model,
                          arguments.search,
                          arguments.top};
    if (parser.count("--strategy") == 0 && !question.search.budget && !question.search.seconds) {
        // Who names no strategy and no budget only wants a good answer soon: seconds.
        constexpr double patience = 60;
        question.search.seconds = patience;
    }
    return strategy.judge == Judge::model ? rank_and_print(question, global)
                                          : search_and_print(question, global);
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
        ->add_option("--strategy", arguments->strategy,
                     "what is searched and who answers (shortlist); by the model: " +
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
    parser->add_option("--top", arguments->top, "how many to print; 0 = all")
        ->check(CLI::NonNegativeNumber);
    return {parser,
            [&global, parser, arguments] { return tune_and_print(*parser, *arguments, global); },
            true};
}

} // namespace texelscope::cli
