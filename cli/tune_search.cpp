#include "cli/tune_search.hpp"

#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "experiments/searches/judges.hpp"

#include <algorithm>
#include <chrono>

namespace texelscope::cli {
namespace {

/// The trials that could run, ascending by time.
std::vector<Trial> by_time(const std::vector<Trial>& trials)
{
    std::vector<Trial> sorted;
    std::copy_if(trials.begin(), trials.end(), std::back_inserter(sorted),
                 [](const Trial& trial) { return trial.time.has_value(); });
    std::stable_sort(sorted.begin(), sorted.end(), [](const Trial& a, const Trial& b) { return *a.time < *b.time; });
    return sorted;
}

} // namespace

int search_and_print(const Strategy& strategy, const Operator& op, const DeviceProfile& device,
                     std::optional<std::int64_t> runs, std::size_t top, const GlobalOptions& global)
{
    const auto start = std::chrono::steady_clock::now();
    const ConfigurationSpace space = strategy_space(strategy, op, device);
    SearchBudget budget;
    budget.runs = runs.value_or(strategy.runs.value_or(space.size()));
    const StrategyResult result =
        run_strategy(strategy, op, device, space, simulator_judge(op, device, space, interrupted), budget, global.seed,
                     make_progress(global), interrupted);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    end_progress(global);
    std::vector<Trial> best = by_time(result.search.trials);
    const std::int64_t failed = std::ssize(result.search.trials) - std::ssize(best);
    best.resize(top == 0 ? best.size() : std::min(top, best.size()));
    if (global.json) {
        ordered_json out = json_result("tune");
        out["op"] = op.name;
        out["shape"] = op.shape;
        out["device"] = device.name;
        out["strategy"] = strategy.name;
        out["space"] = space.size();
        out["pruned"] = result.ruled_out;
        out["evaluated"] = result.search.trials.size();
        out["seconds"] = seconds;
        ordered_json list = ordered_json::array();
        for (const Trial& trial : best) {
            list.push_back({{"config", to_string(space.at(trial.index))}, {"cost_ns", trial.time->value}});
        }
        out["ranking"] = list;
        print_json(out);
    } else {
        std::vector<std::vector<std::string>> rows;
        for (const Trial& trial : best) {
            rows.push_back(
                {std::to_string(rows.size() + 1), to_string(space.at(trial.index)), human_time(trial.time->value)});
        }
        print_text(fmt::format("{} on {}: {} configurations of {}, {} evaluated by the simulator in {:.2f} s{}\n",
                               to_string(op), device.name, grouped(space.size()), strategy.name,
                               grouped(std::ssize(result.search.trials)), seconds,
                               failed > 0 ? fmt::format(", {} of them cannot run", grouped(failed)) : "") +
                   format_table({"rank", "configuration", "simulated"}, rows));
    }
    if (result.search.interrupted) {
        throw Interrupted{};
    }
    return exit_code::done;
}

} // namespace texelscope::cli
