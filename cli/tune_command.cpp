#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "experiments/prediction.hpp"

#include <chrono>
#include <memory>

namespace texelscope::cli {
namespace {

struct TuneArguments {
    OperatorArguments op;
    DeviceArguments device;
    std::string strategy = "model";
    std::string variant = "literal";
    std::size_t top = 10;
};

int tune_and_print(const TuneArguments& arguments, const GlobalOptions& global)
{
    const Operator op = arguments.op.parsed_operator();
    const DeviceProfile device = arguments.device.profile();
    const Progress progress = make_progress(global);
    const auto start = std::chrono::steady_clock::now();
    const auto stage = [&](const char* name, double fraction) {
        if (progress) {
            progress(name, fraction);
        }
    };
    stage("calibrating", 0);
    const Calibration calibration = calibrate_profile(device, global.seed, interrupted);
    stage("listing configurations", 0.1);
    const ConfigurationSpace space = configuration_space(op, device);
    const Ranking ranking = rank_by_model(
        op, device, space, calibration, parse_model_variant(arguments.variant), arguments.top,
        [&](double fraction) { stage("ranking", 0.1 + 0.9 * fraction); }, interrupted);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    end_progress(global);
    if (global.json) {
        ordered_json out = json_result("tune");
        out["op"] = op.name;
        out["shape"] = op.shape;
        out["device"] = device.name;
        out["strategy"] = arguments.strategy;
        out["variant"] = arguments.variant;
        out["space"] = ranking.space;
        out["pruned"] = 0; // every configuration of the space is evaluated
        out["evaluated"] = ranking.evaluated;
        out["seconds"] = seconds;
        ordered_json list = ordered_json::array();
        for (const RankedConfiguration& ranked : ranking.best) {
            list.push_back({{"config", to_string(ranked.schedule)}, {"cost_ns", ranked.cost.value}});
        }
        out["ranking"] = list;
        print_json(out);
        return exit_code::done;
    }
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < ranking.best.size(); ++i) {
        rows.push_back(
            {std::to_string(i + 1), to_string(ranking.best[i].schedule), human_time(ranking.best[i].cost.value)});
    }
    print_text(fmt::format("{} on {}: {} configurations, all evaluated by the model ({}) in {:.2f} s\n", to_string(op),
                           device.name, grouped(ranking.space), arguments.variant, seconds) +
               format_table({"rank", "configuration", "predicted"}, rows));
    return exit_code::done;
}

} // namespace

Command tune_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand("tune", "ranks all configurations of an operator for a device");
    const auto arguments = std::make_shared<TuneArguments>();
    arguments->op.add_to(*parser, false, true);
    arguments->device.add_to(*parser);
    parser->add_option("--strategy", arguments->strategy, "how configurations are judged: model")
        ->check(CLI::IsMember({"model"}))
        ->capture_default_str();
    parser->add_option("--variant", arguments->variant, "of the model: literal (the paper's), refined or reuse-aware")
        ->check(CLI::IsMember(variant_names()))
        ->capture_default_str();
    parser->add_option("--top", arguments->top, "how many to print; 0 = all")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    return {parser, [&global, arguments] { return tune_and_print(*arguments, global); }, true};
}

} // namespace texelscope::cli
