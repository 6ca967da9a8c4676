#include "experiments/tuning/strategy.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "experiments/study/prediction.hpp"
#include "experiments/tuning/learned_search.hpp"
#include "experiments/tuning/local_sizes.hpp"
#include "experiments/tuning/reuse_model.hpp"
#include "experiments/tuning/work_group_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace texelscope::experiments {
namespace {

/// The candidates of the rules, in random order: the paper takes any of them.
StrategyResult search_by_rules(const Operator& op, const DeviceProfile& device, const ConfigurationSpace& space,
                               const Judge& judge, const SearchBudget& budget, std::uint64_t seed,
                               const Progress& progress, const StopToken& stop)
{
    const RuleSelection selection = select_by_rules(op, device, space, stop);
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> order;
    for (const std::size_t i : shuffled_indices(random, selection.candidates.size())) {
        order.push_back(selection.candidates[i]);
    }
    return {listed_search(order, space.size(), judge, budget, progress, stop), space.size() - std::ssize(order)};
}

StrategyResult search_by_reuse(const Operator& op, const DeviceProfile& device, const ConfigurationSpace& space,
                               const Judge& judge, const SearchBudget& budget, const Progress& progress,
                               const StopToken& stop)
{
    const auto costs = reuse_costs(
        op, device, space, {},
        [&](double fraction) {
            if (progress) {
                progress("reuse distances", fraction);
            }
        },
        stop);
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < space.size(); ++i) {
        if (costs[static_cast<std::size_t>(i)]) {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return *costs[static_cast<std::size_t>(a)] < *costs[static_cast<std::size_t>(b)];
    });
    return {listed_search(order, space.size(), judge, budget, progress, stop)};
}

StrategyResult search_shortlist(const Operator& op, const DeviceProfile& device, const ConfigurationSpace& space,
                                const Judge& judge, const SearchBudget& budget, const Progress& progress,
                                const StopToken& stop)
{
    const auto keep = static_cast<std::size_t>(std::min(budget.runs, space.size()));
    const Ranking ranking = rank_by_model(
        op, device, space, {}, ModelVariant::bottleneck, keep,
        [&](double fraction) {
            if (progress) {
                progress("ranking", fraction);
            }
        },
        stop);
    std::vector<std::int64_t> order;
    for (const RankedConfiguration& ranked : ranking.best) {
        order.push_back(ranked.index);
    }
    return {listed_search(order, space.size(), judge, budget, progress, stop)};
}

} // namespace

std::vector<Strategy> all_strategies()
{
    using Space = Strategy::Space;
    using Order = Strategy::Order;
    using Judged = Strategy::Judged;
    constexpr std::int64_t tries = 64; // of searches that know nothing beforehand; a batch of AutoTVM
    std::vector<Strategy> strategies{
        {"model", "the whole space, ranked by the model", Space::whole, Order::model, Judged::by_model},
        {"descent", "few kernels of the whole space, one knob after the other by the model", Space::whole,
         Order::descent, Judged::by_model},
        {"shortlist", "the first of the bottleneck model, each in the timed simulator", Space::whole,
         Order::bottlenecks, Judged::by_simulator, tries},
        {"simulate", "the whole space, each in the timed simulator", Space::whole, Order::all, Judged::by_simulator},
        {"device", "the whole space, each run on the device", Space::whole, Order::all, Judged::by_device},
        {"rules", "work-groups by rules I-V of Jiang et al.", Space::groups, Order::rules, Judged::by_simulator, 1},
        {"reuse-distance", "patterns and warp shapes by reuse distances, in the manner of PPT-GPU-Mem", Space::patterns,
         Order::reuse_distance, Judged::by_simulator, 1},
        {"random", "the whole space, drawn at random", Space::whole, Order::random, Judged::by_simulator, tries},
        {"learned", "the whole space, with a learned cost model in the manner of AutoTVM", Space::whole, Order::learned,
         Judged::by_simulator, tries},
        {"local-size", "a short list of work-groups for one kernel, in the manner of CLML", Space::local_sizes,
         Order::all, Judged::by_simulator},
    };
    for (const Baseline baseline : all_baselines()) {
        strategies.push_back({to_string(baseline),
                              "what " + to_string(baseline) + " would try, ranked by the model",
                              Space::baseline,
                              Order::model,
                              Judged::by_model,
                              {},
                              baseline});
    }
    return strategies;
}

Strategy parse_strategy(const std::string& name)
{
    std::vector<std::string> names;
    for (const Strategy& strategy : all_strategies()) {
        if (strategy.name == name) {
            return strategy;
        }
        names.push_back(strategy.name);
    }
    throw bad_input("there is no strategy '" + name + "'", {},
                    fmt::format("strategies are {}", fmt::join(names, ", ")));
}

ConfigurationSpace strategy_space(const Strategy& strategy, const Operator& op, const DeviceProfile& device)
{
    switch (strategy.space) {
    case Strategy::Space::whole:
        return configuration_space(op, device);
    case Strategy::Space::patterns:
        return pattern_space(op, device);
    case Strategy::Space::groups:
        return work_group_space(op, device);
    case Strategy::Space::local_sizes:
        return local_size_space(op, device);
    case Strategy::Space::baseline:
        return space_of(baseline_schedules(*strategy.baseline, op, device));
    }
    return {};
}

StrategyResult run_strategy(const Strategy& strategy, const Operator& op, const DeviceProfile& device,
                            const ConfigurationSpace& space, const Judge& judge, const SearchBudget& budget,
                            std::uint64_t seed, const Progress& progress, const StopToken& stop)
{
    try {
        switch (strategy.order) {
        case Strategy::Order::model:
        case Strategy::Order::descent:
            break;
        case Strategy::Order::bottlenecks:
            return search_shortlist(op, device, space, judge, budget, progress, stop);
        case Strategy::Order::all:
            return {exhaustive_search(space.size(), judge, budget, progress, stop)};
        case Strategy::Order::rules:
            return search_by_rules(op, device, space, judge, budget, seed, progress, stop);
        case Strategy::Order::reuse_distance:
            return search_by_reuse(op, device, space, judge, budget, progress, stop);
        case Strategy::Order::random:
            return {random_search(space.size(), judge, budget, seed, progress, stop)};
        case Strategy::Order::learned:
            return {learned_search(space, judge, budget, seed, {}, progress, stop)};
        }
    } catch (const Interrupted&) {
        return {{{}, {}, true}};
    }
    throw bad_input("the model orders by predictions alone, no judge is asked", "strategy " + strategy.name);
}

} // namespace texelscope::experiments
