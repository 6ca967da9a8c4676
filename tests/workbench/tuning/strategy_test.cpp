#include "base/error.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/tuning/baseline_rules.hpp"
#include "workbench/tuning/operator_timer.hpp"
#include "workbench/tuning/priced_parts.hpp"
#include "workbench/tuning/reuse_model.hpp"
#include "workbench/tuning/strategy.hpp"
#include "workbench/tuning/work_group_rules.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace texelscope::workbench::tuning;
using Catch::Matchers::Contains;

TEST_CASE("Strategies have names, each once, and the baselines are among them")
{
    std::set<std::string> names;
    for (const Strategy& strategy : all_strategies()) {
        CHECK(names.insert(strategy.name).second);
        CHECK_FALSE(strategy.about.empty());
        CHECK(&parse_strategy(strategy.name) == &strategy);
        CHECK(strategy.space);
        CHECK(static_cast<bool>(strategy.rank) == (strategy.judge == Judge::model));
        CHECK(static_cast<bool>(strategy.search) == !strategy.rank);
    }
    for (const char* name :
         {"model",   "shortlist", "simulate",   "device", "rules",     "reuse-distance", "random",
          "learned", "bayesian",  "local-size", "mnn",    "mace",      "tflite",         "vanilla",
          "sgemm",   "as-mnn",    "as-clml",    "as-tvm", "as-tflite", "as-ppt-gpu"}) {
        CHECK(names.contains(name));
    }
    CHECK_THROWS_WITH(parse_strategy("luck"), Contains("luck") && Contains("reuse-distance"));
}

TEST_CASE("What a strategy searches is what its part of the comparison leaves to choose")
{
    const DeviceProfile device = find_profile("adreno-640");
    const Operator op = parse_operator("conv2d", "1,14,14,16,16,3,3,1");
    const auto space = [&](const char* name) { return parse_strategy(name).space(op, device); };
    const auto whole = configuration_space(op, device);
    for (const char* name : {"model", "simulate", "device"}) { // they look at every element
        CHECK(space(name).size() == whole.size());
    }
    const auto priced = configuration_space(op, device, {.parts = priced_parts(op, device)});
    CHECK(priced.size() > whole.size());
    for (const char* name : {"descent", "shortlist", "bayesian"}) {
        CHECK(space(name).size() == priced.size());
    }
    const auto drawn = configuration_space(op, device, {.parts = drawn_parts(op, device)});
    for (const char* name : {"random", "learned"}) {
        CHECK(space(name).size() == drawn.size());
    }
    CHECK(space("rules").kernel_count() == 1);
    CHECK(space("local-size").kernel_count() == 1);
    CHECK(space("reuse-distance").kernel_count() == 25);
    CHECK(space("mnn").size() == std::ssize(baseline_schedules(Baseline::mnn, op, device)));
    CHECK_THROWS_AS(parse_strategy("sgemm").space(op, device), Error);
}

TEST_CASE("Strategies ask the judge in their order")
{
    const DeviceProfile device = find_profile("adreno-640");
    const Operator op = parse_operator("matmul", "40,64,20");
    const auto run = [&](const char* name, std::int64_t runs) {
        const Strategy strategy = parse_strategy(name);
        const ConfigurationSpace space = strategy.space(op, device);
        const TimeOf time_of = times_in(simulator_timer(device, 0, ""), op, space);
        return run_strategy(strategy, {op, device, space, time_of, {runs}, 3});
    };
    const ConfigurationSpace groups = work_group_space(op, device);
    const RuleSelection selection = select_by_rules(op, device, groups);
    const StrategyResult rules = run("rules", 1000);
    CHECK(rules.search.trials.size() == selection.candidates.size());
    CHECK(rules.ruled_out == groups.size() - std::ssize(selection.candidates));
    for (const Trial& trial : rules.search.trials) {
        CHECK(std::binary_search(selection.candidates.begin(), selection.candidates.end(),
                                 trial.index));
    }
    CHECK(run("rules", 1).search.trials.front() == rules.search.trials.front());

    const ConfigurationSpace patterns = pattern_space(op, device);
    const Ranking ranking = rank_by_reuse_distance(op, device, patterns, {}, 4);
    const StrategyResult reuse = run("reuse-distance", 4);
    REQUIRE(reuse.search.trials.size() == 4);
    CHECK(reuse.ruled_out == 0);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(patterns.at(reuse.search.trials[i].index) == ranking.best[i].schedule);
    }
    for (const char* name : {"random", "learned"}) {
        CHECK(run(name, 10).search.trials.size() == 10);
    }
    const StrategyResult local = run("local-size", 1000);
    for (std::size_t i = 0; i < local.search.trials.size(); ++i) {
        CHECK(local.search.trials[i].index == static_cast<std::int64_t>(i));
    }
    CHECK_THROWS_WITH(run("model", 1), Contains("model"));
}

TEST_CASE("A strategy that is stopped while it works out its order has no trials")
{
    const DeviceProfile device = find_profile("adreno-640");
    const Operator op = parse_operator("matmul", "40,64,20");
    const StopToken stop = [] { return true; };
    for (const char* name : {"rules", "reuse-distance", "random", "learned", "local-size"}) {
        const Strategy strategy = parse_strategy(name);
        const ConfigurationSpace space = strategy.space(op, device);
        const TimeOf time_of = times_in(simulator_timer(device, 0, ""), op, space);
        const StrategyResult result =
            run_strategy(strategy, {op, device, space, time_of, {}, 1, {}, stop});
        CHECK(result.search.interrupted);
        CHECK(result.search.trials.empty());
    }
}
