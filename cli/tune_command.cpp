#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/calibration_file.hpp"
#include "cli/parts_argument.hpp"
#include "cli/terminal.hpp"
#include "cli/tune_search.hpp"
#include "cli/where_argument.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "experiments/space/pruned_space.hpp"
#include "experiments/study/prediction.hpp"
#include "experiments/tuning/baseline_rules.hpp"
#include "experiments/tuning/strategy.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace texelscope::cli {
namespace {

struct TuneArguments {
    OperatorArguments op;
    DeviceArguments device;
    CalibrationArgument calibration;
    std::string strategy = "model";
    SearchArguments search;
    PartsArgument parts;
    WhereArgument where;
    std::string variant = "literal";
    std::size_t top = 10;
    std::vector<std::string> prune; ///< criteria; "all" for every one
    bool prunes = false;
    std::string loads = "each-item";
    bool list_baselines = false;
};

PruningOptions pruning_options(const TuneArguments& arguments)
{
    PruningOptions options;
    options.counting = arguments.loads == "each-item" ? LoadCounting::each_item : LoadCounting::shared_once;
    std::vector<PruningCriterion> named;
    for (const std::string& name : arguments.prune) {
        if (name == "all") {
            return options;
        }
        named.push_back(parse_pruning_criterion(name));
    }
    if (!named.empty()) {
        options.criteria = named;
    }
    return options;
}

ordered_json pruning_json(const PrunedSpace& pruned, const PruningOptions& options)
{
    ordered_json criteria = ordered_json::object();
    for (const PruningCriterion criterion : all_pruning_criteria) {
        if (options.checks(criterion)) {
            const auto c = static_cast<std::size_t>(criterion);
            criteria[to_string(criterion)] = {{"first", pruned.first[c]}, {"alone", pruned.alone[c]}};
        }
    }
    return {{"kept", pruned.kept_count}, {"criteria", criteria}, {"off", pruned.switched_off}};
}

std::string pruning_text(const PrunedSpace& pruned, const PruningOptions& options)
{
    std::vector<Cells> rows;
    for (const PruningCriterion criterion : all_pruning_criteria) {
        if (options.checks(criterion)) {
            const auto c = static_cast<std::size_t>(criterion);
            rows.push_back({to_string(criterion), count_text(pruned.first[c]), count_text(pruned.alone[c])});
        }
    }
    std::string text =
        fmt::format("pruned {} of {} configurations, {} are left\n", count_text(pruned.size - pruned.kept_count),
                    count_text(pruned.size), count_text(pruned.kept_count)) +
        format_table({"criterion", "excludes first", "excludes by itself"}, rows);
    for (const std::string& line : pruned.switched_off) {
        text += "off: " + line + "\n";
    }
    if (pruned.kept_count == 0) {
        text += "nothing is left to rank: name fewer criteria, or count loads with --prune-loads shared-once\n";
    }
    return text;
}

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

/// Throws bad_input for options that the strategy, or whoever judges, would not look at.
void refuse_unused(const CLI::App& parser, const TuneArguments& arguments, const Strategy& strategy)
{
    if (arguments.list_baselines) {
        refuse_options(parser,
                       {"--strategy", "--parts", "--where", "--budget", "--time", "--sample", "--on", "--store",
                        "--samples", "--prune", "--prune-loads", "--calibration", "--variant", "--top"},
                       "to --list-baselines");
        return;
    }
    const std::string to_strategy = "to --strategy " + strategy.name;
    if (strategy.judged != Strategy::Judged::by_model) {
        refuse_options(parser, {"--prune", "--prune-loads", "--calibration", "--variant"}, to_strategy,
                       "leave it out, or use a strategy that the model ranks, such as model");
        if (strategy.judged == Strategy::Judged::by_device || !arguments.search.on.empty()) {
            refuse_options(parser, {"--sample"}, "where a device judges");
        } else {
            refuse_options(parser, {"--samples"}, "to the simulator, which judges", "leave it out, or add --on DEVICE");
        }
        return;
    }
    refuse_options(parser, {"--budget", "--time", "--sample", "--on", "--store", "--samples"}, to_strategy,
                   "leave it out, or use a strategy that searches, such as shortlist");
    if (parse_model_variant(arguments.variant) == ModelVariant::bottleneck) {
        refuse_options(parser, {"--calibration"}, "to --variant bottleneck, which needs none");
    }
    if (!arguments.prunes) {
        refuse_options(parser, {"--prune-loads"}, "without --prune", "leave it out, or add --prune");
    }
}

int tune_and_print(const CLI::App& parser, const TuneArguments& arguments, const GlobalOptions& global)
{
    const Strategy strategy = parse_strategy(arguments.strategy);
    refuse_unused(parser, arguments, strategy);
    if (arguments.list_baselines) {
        return print_baselines(arguments, global);
    }
    const Operator op = arguments.op.parsed_operator();
    const DeviceProfile device = arguments.device.profile();
    const std::vector<Constraint> where = constraints(arguments.where.conditions, op);
    if (strategy.judged != Strategy::Judged::by_model) {
        return search_and_print(strategy, op, device, arguments.parts.parts(), where, arguments.search, arguments.top,
                                global);
    }
    const Progress progress = make_progress(global);
    const auto start = std::chrono::steady_clock::now();
    const auto stage = [&](const char* name, double fraction) {
        if (progress) {
            progress(name, fraction);
        }
    };
    stage("calibrating", 0);
    const PruningOptions options = pruning_options(arguments);
    const ModelVariant variant = parse_model_variant(arguments.variant);
    const Calibration calibration = variant == ModelVariant::bottleneck // needs none
                                        ? Calibration{}
                                        : arguments.calibration.of(device, global.seed);
    stage("listing configurations", 0.1);
    const SearchedSpace constrained = searched_space(strategy, op, device, arguments.parts.parts(), where);
    const ConfigurationSpace& space = constrained.space;
    std::optional<PrunedSpace> pruned;
    if (arguments.prunes) {
        SpaceFootprints footprints(op, space, {}, interrupted);
        if (device.compiler && options.checks(PruningCriterion::spills)) {
            footprints.compile(device, space, interrupted);
        }
        pruned = prune_space(space, footprints, pruning_limits(device), options);
    }
    const std::vector<bool> kept = pruned ? pruned->kept : std::vector<bool>{};
    const Ranking ranking = strategy.rank({op, device, space, calibration, variant, interrupted, kept}, arguments.top,
                                          [&](double fraction) { stage("ranking", 0.1 + 0.9 * fraction); });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    end_progress(global);
    if (global.json) {
        ordered_json out = json_result("tune");
        out["op"] = op.name;
        out["shape"] = op.shape;
        out["device"] = device.name;
        out["registers"] = registers_text(device);
        out["strategy"] = arguments.strategy;
        out["variant"] = arguments.variant;
        out["parts"] = parts_json(constrained.parts);
        out["space"] = constrained.counts.size;
        if (!where.empty()) {
            out["where"] = to_json(constrained.counts);
        }
        out["pruned"] = pruned ? std::count(kept.begin(), kept.end(), false) : 0;
        if (pruned) {
            out["pruning"] = pruning_json(*pruned, options);
        }
        out["evaluated"] = ranking.evaluated;
        out["not_priced"] = ranking.not_priced;
        out["seconds"] = seconds;
        out["ranking"] = json_list(ranking.best, [](const RankedConfiguration& ranked) -> ordered_json {
            return {{"config", to_string(ranked.schedule)}, {"cost_ns", ranked.cost.value}};
        });
        print_json(out);
        return exit_code::done;
    }
    std::vector<Cells> rows;
    for (std::size_t i = 0; i < ranking.best.size(); ++i) {
        rows.push_back(
            {std::to_string(i + 1), to_string(ranking.best[i].schedule), human_time(ranking.best[i].cost.value)});
    }
    const std::string of = strategy.name == "model" || strategy.name == "descent" ? "" : " of " + arguments.strategy;
    const std::string evaluated = ranking.evaluated < constrained.counts.size ? count_text(ranking.evaluated) : "all";
    print_text(where_text(constrained.counts) + (pruned ? pruning_text(*pruned, options) : "") +
               fmt::format("{} on {}: {} configurations{}, {} evaluated by the model ({}, registers {}) in {:.2f} s\n",
                           to_string(op), device.name, count_text(constrained.counts.size), of, evaluated,
                           arguments.variant, registers_text(device), seconds) +
               not_priced_text(ranking.not_priced, ranking.refusal) +
               format_table({"rank", "configuration", "predicted"}, rows));
    return exit_code::done;
}

} // namespace

Command tune_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand("tune", "ranks all configurations of an operator for a device");
    const auto arguments = std::make_shared<TuneArguments>();
    arguments->op.add_to(*parser, false);
    arguments->device.add_to(*parser);
    arguments->device.add_registers_to(*parser);
    arguments->calibration.add_to(*parser);
    parser
        ->add_option("--strategy", arguments->strategy,
                     "what is searched and who answers; by the model: " + strategy_names([](const Strategy& s) {
                         return s.judged == Strategy::Judged::by_model;
                     }) + "; asking a judge: " +
                         strategy_names([](const Strategy& s) { return s.judged != Strategy::Judged::by_model; }))
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
    const auto set_prune = [arguments](const std::vector<std::string>& names) {
        arguments->prunes = true;
        arguments->prune = names;
        return true;
    };
    parser
        ->add_option_function<std::vector<std::string>>(
            "--prune", set_prune,
            "leaves out what Romou's criteria exclude: all, or some of l1, registers, buffer, ...")
        ->delimiter(',')
        ->expected(0, -1)
        ->default_str("all");
    parser->add_option("--prune-loads", arguments->loads, "how the l1 criterion counts: each-item or shared-once")
        ->check(CLI::IsMember({"each-item", "shared-once"}));
    parser->add_flag("--list-baselines", arguments->list_baselines,
                     "prints what each baseline would try, as texts for --config, and searches nothing");
    add_variant(*parser, arguments->variant);
    parser->add_option("--top", arguments->top, "how many to print; 0 = all")->check(CLI::NonNegativeNumber);
    return {parser, [&global, parser, arguments] { return tune_and_print(*parser, *arguments, global); }, true};
}

} // namespace texelscope::cli
