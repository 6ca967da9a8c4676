#include "workbench/tuning/strategy.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/default_variant.hpp"
#include "workbench/tuning/baseline_rules.hpp"
#include "workbench/tuning/bayesian_search.hpp"
#include "workbench/tuning/correction_features.hpp"
#include "workbench/tuning/frameworks.hpp"
#include "workbench/tuning/learned_search.hpp"
#include "workbench/tuning/model_descent.hpp"
#include "workbench/tuning/priced_parts.hpp"
#include "workbench/tuning/reuse_model.hpp"
#include "workbench/tuning/screening.hpp"
#include "workbench/tuning/trial_log.hpp"
#include "workbench/tuning/work_group_rules.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <set>

namespace texelscope::workbench::tuning {
namespace {

// Tries the elements of the list one after the other, until the budget is spent.
StrategyResult in_order(const std::vector<std::int64_t>& order, const SearchTask& task,
                        std::int64_t ruled_out = 0)
{
    return {listed_search(order, task.space.size(), task.times_of, task.budget, task.progress,
                          task.stop),
            ruled_out};
}

std::function<void(double)> stage(const SearchTask& task, const char* name)
{
    return [&task, name](double fraction) { tell(task.progress, name, fraction, 1); };
}

/// The candidates of the rules, in random order: the paper takes any of them.
StrategyResult search_by_rules(const SearchTask& task)
{
    const RuleSelection selection = select_by_rules(task.op, task.device, task.space, task.stop);
    std::mt19937_64 random(task.seed);
    const std::vector<std::int64_t> order =
        mapped(shuffled_indices(random, selection.candidates.size()),
               [&](std::size_t i) { return selection.candidates[i]; });
    return in_order(order, task, task.space.size() - std::ssize(order));
}

/// Ascending by reuse_costs().
StrategyResult search_by_reuse(const SearchTask& task)
{
    const auto costs = reuse_costs(task.op, task.device, task.space, {},
                                   stage(task, "reuse distances"), task.stop);
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < task.space.size(); ++i) {
        if (costs[static_cast<std::size_t>(i)]) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(
        order, {}, [&](std::int64_t index) { return *costs[static_cast<std::size_t>(index)]; });
    return in_order(order, task);
}

/// The first of each predicted cost, in their order; then the others, as far as `count` goes.
/// Kernels that the model holds for alike mostly read alike: in the simulator, too, they take about
/// as long.
std::vector<RankedConfiguration> told_apart(std::vector<RankedConfiguration> ranked,
                                            std::size_t count)
{
    std::vector<RankedConfiguration> first;
    std::vector<RankedConfiguration> others;
    for (std::size_t i = 0; i < ranked.size() && first.size() < count; ++i) {
        const bool is_new = i == 0 || !same_time(ranked[i].cost.value, first.back().cost.value);
        (is_new ? first : others).push_back(std::move(ranked[i]));
    }
    const std::size_t missing = std::min(count - first.size(), others.size());
    std::move(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(missing),
              std::back_inserter(first));
    return first;
}

/// Ascending by the model. With a quick judge, only what the model tells apart.
StrategyResult search_shortlist(const SearchTask& task)
{
    constexpr std::size_t alike_at_most = 32; // on average
    constexpr int random_starts = 1;          // of descent: the judge corrects what it misses
    const auto keep = static_cast<std::size_t>(std::min(task.budget.runs, task.space.size()));
    const ModelOrder& order = task.order;
    // Configurations that the model holds for alike are ordered by its next variant, where there is
    // a calibration for it.
    TieBreaker ties;
    if (!order.calibration.walks.empty()) {
        ties = by_variant(task.op, task.device, task.space, order.calibration,
                          next_variant(order.variant), task.stop);
    }
    StrategyResult result;
    const bool screens = task.quick != nullptr;
    result.model = first_by_model(
        {task.op, task.device, task.space, order.calibration, order.variant, task.stop},
        screens ? alike_at_most * keep : keep, stage(task, "ranking"), ties,
        screens ? random_starts : 4);
    if (!screens) {
        result.search =
            in_order(mapped(result.model.best, &RankedConfiguration::index), task).search;
        return result;
    }
    result.model.best = told_apart(std::move(result.model.best), keep);
    const auto tell_all = [&] {
        if (task.so_far) {
            task.so_far(result);
        }
    };
    tell_all();
    result.search = screened_search(mapped(result.model.best, &RankedConfiguration::index),
                                    task.space.size(), task.times_of, *task.quick, task.budget,
                                    task.progress, task.stop, [&](const SearchResult& known) {
                                        result.search = known;
                                        tell_all();
                                    });
    return result;
}

StrategyResult search_all(const SearchTask& task)
{
    return {
        exhaustive_search(task.space.size(), task.times_of, task.budget, task.progress, task.stop)};
}

StrategyResult search_at_random(const SearchTask& task)
{
    return {random_search(task.space.size(), task.times_of, task.budget, task.seed, task.progress,
                          task.stop)};
}

StrategyResult search_learning(const SearchTask& task)
{
    return {learned_search(task.space, task.times_of, task.budget, task.seed, {}, task.progress,
                           task.stop)};
}

/// What a search may try: the model's first, and some drawn at random, which the model may have
/// overlooked.
std::vector<SearchCandidate> candidates_of(const SearchTask& task, const ModelCosts& costs,
                                           const Ranking& first)
{
    constexpr std::int64_t draws = 256;
    std::vector<SearchCandidate> all = mapped(first.best, [](const RankedConfiguration& one) {
        return SearchCandidate{one.index, one.cost, {}};
    });
    std::set<std::int64_t> seen;
    for (const SearchCandidate& one : all) {
        seen.insert(one.index);
    }
    std::mt19937_64 random(task.seed);
    DistinctDraws drawn(task.space.size());
    for (std::int64_t i = 0; i < draws; ++i) {
        const auto index = drawn.next(random);
        if (!index) {
            break;
        }
        const ConfigurationSpace::Place place = task.space.place(*index);
        const ModelCosts::Costs priced = costs.of_groups(place.kernel, std::array{place.group});
        if (!priced.priced.empty() && seen.insert(*index).second) {
            all.push_back({*index, Nanoseconds{priced.priced.front().ns}, {}});
        }
    }
    parallel_for(
        all.size(), processor_threads(),
        [&](std::size_t i) {
            SearchCandidate& one = all[i];
            try {
                const Schedule schedule = task.space.at(one.index);
                if (task.allowed && !task.allowed(schedule)) {
                    return;
                }
                one.features = correction_features(
                    schedule, bottleneck_kernel(task.op, schedule, task.device, task.stop),
                    one.expected);
            } catch (const Error&) {
                return; // another variant prices what the bottleneck model does not know
            }
            if (task.others != nullptr) {
                const Correction correction = task.others->at(one.features);
                one.expected = one.expected * correction.factor;
                one.spread = correction.spread;
            }
        },
        task.stop);
    std::erase_if(all, [](const SearchCandidate& one) { return one.features.size() == 0; });
    return all;
}

StrategyResult search_bayesian(const SearchTask& task)
{
    constexpr std::size_t first = 1024;
    const ModelOrder& order = task.order;
    const ModelCosts costs(task.op, task.device, task.space, order.calibration, order.variant,
                           task.stop);
    StrategyResult result;
    result.model = first_by_model(costs, first, stage(task, "ranking"));
    BayesianResult found =
        bayesian_search(candidates_of(task, costs, result.model), task.space.size(), task.times_of,
                        task.budget, {}, task.progress, task.stop);
    result.search = std::move(found.search);
    result.chance_left = found.chance_left;
    return result;
}

/// For searches that look at every element.
std::string few_parts(const Operator&, const DeviceProfile&)
{
    return paper_parts;
}

Strategy& searches_parts(Strategy& row,
                         std::function<std::string(const Operator&, const DeviceProfile&)> parts)
{
    row.space = [parts](const Operator& op, const DeviceProfile& device) {
        return configuration_space(op, device, {.parts = parts(op, device)});
    };
    row.parts = std::move(parts);
    return row;
}

std::vector<Strategy> own_strategies()
{
    // Trials that searches make which know nothing beforehand: as many as a batch of AutoTVM.
    constexpr std::int64_t tries = 64;
    std::vector<Strategy> rows;
    const auto row = [&](const char* name, const char* about, Judge judge) -> Strategy& {
        return rows.emplace_back(Strategy{.name = name, .about = about, .judge = judge});
    };
    const auto ranked = [&](const char* name, const char* about, auto parts, auto rank) {
        searches_parts(row(name, about, Judge::model), parts).rank = rank;
    };
    const auto judged = [&](const char* name, const char* about, auto parts, auto search,
                            std::optional<std::int64_t> runs = {}) -> Strategy& {
        Strategy& made = searches_parts(row(name, about, Judge::simulator), parts);
        made.search = search;
        made.runs = runs;
        return made;
    };
    const auto own = [&](const char* name, const char* about, auto space, auto search,
                         std::optional<std::int64_t> runs = {}) {
        Strategy& made = row(name, about, Judge::simulator);
        made.space = space;
        made.search = search;
        made.runs = runs;
    };
    ranked("model", "the whole space, ranked by the model", few_parts, rank_by_model);
    ranked("descent", "few kernels of the whole space, one knob after the other by the model",
           priced_parts,
           [](const ModelCosts& costs, std::size_t keep,
              const std::function<void(double)>& progress,
              const TieBreaker& ties) { return rank_by_descent(costs, keep, progress, ties); });
    Strategy& shortlist = judged("shortlist", "the model's first, in the timed simulator",
                                 priced_parts, search_shortlist, tries);
    shortlist.by_model = true;
    shortlist.screens = 32;
    judged("simulate", "the whole space, each in the timed simulator", few_parts, search_all);
    judged("device", "the whole space, each run on the device", few_parts, search_all).judge =
        Judge::device;
    own("rules", "work-groups by rules I-V of Jiang et al.", work_group_space, search_by_rules, 1);
    own("reuse-distance",
        "patterns and warp shapes by reuse distances, in the manner of PPT-GPU-Mem", pattern_space,
        search_by_reuse, 1);
    judged("random", "the whole space, drawn at random", drawn_parts, search_at_random, tries);
    judged("learned", "the whole space, with a learned cost model in the manner of AutoTVM",
           drawn_parts, search_learning, tries)
        .learns = true;
    Strategy& bayesian =
        judged("bayesian", "what may be best by the model and by what the trials took",
               priced_parts, search_bayesian, tries);
    bayesian.learns = bayesian.by_model = bayesian.across_shapes = true;
    own("local-size", "a short list of work-groups for one kernel, in the manner of CLML",
        local_size_space, search_all);
    return rows;
}

} // namespace

// The program's own strategies, then a row for each baseline and each framework.
const std::vector<Strategy>& all_strategies()
{
    static const std::vector<Strategy> strategies = [] {
        std::vector<Strategy> all = own_strategies();
        for (const BaselineRow& row : all_baselines()) {
            all.push_back(
                {.name = row.name,
                 .about = std::string("what ") + row.name + " would try, ranked by the model",
                 .space =
                     [&row](const Operator& op, const DeviceProfile& device) {
                         return space_of(row.schedules(op, device));
                     },
                 .rank = rank_by_model});
        }
        for (const FrameworkRow& row : frameworks()) {
            all.push_back(
                {.name = std::string("as-") + row.key,
                 .about = std::string("as ") + row.name + " would choose, in the simulator",
                 .judge = Judge::simulator,
                 .space = row.space,
                 .search = [&row](SearchTask task) {
                     const Strategy& search = parse_strategy(row.strategy(task.op));
                     task.budget.runs =
                         std::min(task.budget.runs, search.runs.value_or(task.space.size()));
                     return search.search(task);
                 }});
        }
        return all;
    }();
    return strategies;
}

const Strategy& parse_strategy(const std::string& name)
{
    const auto found = std::ranges::find(all_strategies(), name, &Strategy::name);
    if (found == all_strategies().end()) {
        throw bad_input("there is no strategy '" + name + "'", {},
                        "strategies are " + joined(all_strategies(), &Strategy::name));
    }
    return *found;
}

const Strategy& strategy_or_default(const std::optional<std::string>& name, bool on_device)
{
    return parse_strategy(name.value_or(on_device ? "bayesian" : "shortlist"));
}

std::string strategy_names(const std::function<bool(const Strategy&)>& which)
{
    std::string names;
    for (const Strategy& strategy : all_strategies()) {
        if (which(strategy)) {
            names += (names.empty() ? "" : ", ") + strategy.name;
        }
    }
    return names;
}

StrategyResult run_strategy(const Strategy& strategy, const SearchTask& task)
{
    if (!strategy.search) {
        throw bad_input("the model orders by predictions alone, no judge is asked",
                        "strategy " + strategy.name);
    }
    try {
        return strategy.search(task);
    } catch (const Interrupted&) {
        return {{{}, {}, true}};
    }
}

} // namespace texelscope::workbench::tuning
