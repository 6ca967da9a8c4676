#include "base/error.hpp"
#include "base/random.hpp"
#include "tests/base/temporary_folder.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/tuning/baseline_rules.hpp"
#include "workbench/tuning/bottleneck_price.hpp"
#include "workbench/tuning/correction_features.hpp"
#include "workbench/tuning/operator_timer.hpp"
#include "workbench/tuning/priced_parts.hpp"
#include "workbench/tuning/reuse_model.hpp"
#include "workbench/tuning/stored_correction.hpp"
#include "workbench/tuning/strategy.hpp"
#include "workbench/tuning/tuned.hpp"
#include "workbench/tuning/work_group_rules.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

using namespace texelscope::workbench::tuning;
using Catch::Matchers::Contains;

namespace {

TuneQuestion question(const std::string& shape, const std::string& store = {})
{
    const Operator op = parse_operator("conv2d", shape);
    const DeviceProfile device = find_profile("adreno-740");
    TuneQuestion asked{.strategy = parse_strategy("shortlist"), .op = op, .device = device};
    asked.model = {{ModelVariant::bottleneck, {}}, [] { return Calibration{}; }, {}};
    asked.top = 0;
    asked.store = store;
    return asked;
}

bool same_rows(const Tuned& a, const Tuned& b)
{
    return std::ranges::equal(a.rows, b.rows, [](const RankedRow& one, const RankedRow& other) {
        return one.config == other.config && one.time == other.time && one.rough == other.rough &&
               one.alike == other.alike;
    });
}

} // namespace

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
        const TimesOf time_of = times_in(simulator_timer(device, 0, ""), op, space);
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
        const TimesOf time_of = times_in(simulator_timer(device, 0, ""), op, space);
        const StrategyResult result =
            run_strategy(strategy, {op, device, space, time_of, {}, 1, {}, stop});
        CHECK(result.search.interrupted);
        CHECK(result.search.trials.empty());
    }
}

TEST_CASE("The Bayesian strategy begins with the model's first, and other shapes change where")
{
    const DeviceProfile device = find_profile("adreno-640");
    const Operator op = parse_operator("matmul", "40,64,20");
    const Strategy& strategy = parse_strategy("bayesian");
    const ConfigurationSpace space = strategy.space(op, device);
    const TimesOf time_of = times_in(simulator_timer(device, 2000, ""), op, space);
    const StrategyResult plain = run_strategy(strategy, {op, device, space, time_of, {12, {}}, 3});
    REQUIRE(plain.search.trials.size() == 12);
    CHECK(plain.search.trials.front().index == plain.model.best.front().index);
    CHECK(plain.chance_left);
    CHECK(run_strategy(strategy, {op, device, space, time_of, {12, {}}, 3}).search.trials ==
          plain.search.trials);

    // On this device, kernels of other shapes take long where they write two outputs or more along
    // x.
    const texelscope::test::TemporaryFolder folder;
    ResultStore store(folder.file("s.sqlite"));
    const ResultKey like = simulator_timer(device, 2000, "").key;
    std::mt19937_64 random(5);
    std::int64_t put = 0;
    for (const char* shape : {"64,64,64", "48,80,32", "40,64,20"}) {
        const Operator other = parse_operator("matmul", shape);
        const ConfigurationSpace of_other =
            configuration_space(other, device, {.parts = priced_parts(other, device)});
        for (int i = 0; i < 120; ++i) {
            const Schedule schedule = of_other.at(static_cast<std::int64_t>(
                uniform_below(random, static_cast<std::uint64_t>(of_other.size()))));
            const auto predicted = bottleneck_price(other, device, schedule);
            if (!predicted) {
                continue;
            }
            StoredResult row = row_of(like, other, schedule);
            row.key.kernel = std::to_string(put++);
            // What was measured of the shape itself says nothing: it is not among the others.
            row.samples_ns = {predicted->value * (to_string(other) == to_string(op) ? 50
                                                  : schedule.tile[0] > 1            ? 8
                                                                                    : 1)};
            store.put(row);
        }
    }
    const auto others = stored_correction(store, like, op, device);
    REQUIRE(others);
    const auto factor = [&](const char* config) {
        const Schedule schedule = parse_schedule(config);
        const Nanoseconds predicted = bottleneck_price(op, device, schedule).value();
        return others
            ->at(correction_features(schedule, bottleneck_kernel(op, schedule, device), predicted))
            .factor;
    };
    CHECK(factor("A=row,column;T=4x4;W=4x4;G=8x8x1") >
          4 * factor("A=row,column;T=1x4;W=4x4;G=8x8x1"));
    const StrategyResult warned =
        run_strategy(strategy, {op, device, space, time_of, {1, {}}, 3, {}, {}, {}, &*others});
    CHECK(space.at(warned.search.trials.front().index).tile[0] == 1);
    ResultKey elsewhere = like;
    elsewhere.device = "another";
    CHECK_FALSE(stored_correction(store, elsewhere, op, device));
}

TEST_CASE("What is screened is about as good as the best of all by the long simulation")
{
    const DeviceProfile device = find_profile("adreno-740");
    std::mt19937_64 random(7);
    for (int draw = 0; draw < 3; ++draw) {
        const auto side = static_cast<int>(8 + uniform_below(random, 17));
        const auto channels = static_cast<int>(4 * (1 + uniform_below(random, 4)));
        const std::string shape = fmt::format("1,{0},{0},{1},{1},3,3,1", side, channels);
        CAPTURE(shape);
        const Tuned tuned = tune(question(shape), "");
        REQUIRE(tuned.rows.size() == 32);
        CHECK_FALSE(tuned.rows.front().rough);
        CHECK(tuned.rough == std::ranges::count_if(tuned.rows, &RankedRow::rough));
        const Operator op = parse_operator("conv2d", shape);
        double best = tuned.rows.front().time.value;
        std::vector<Schedule> schedules;
        for (const RankedRow& row : tuned.rows) {
            schedules.push_back(parse_schedule(row.config));
        }
        const ConfigurationSpace space = space_of(schedules);
        const TimesOf long_sample = times_in(simulator_timer(device, 20'000, ""), op, space);
        best = std::min(best, exhaustive_search(space.size(), long_sample).best->time->value);
        CHECK(tuned.rows.front().time.value <= 1.15 * best);
    }
}

TEST_CASE("A store answers for both judges, and what is told on the way is what comes out")
{
    const texelscope::test::TemporaryFolder folder;
    const std::string store = folder.file("results.sqlite");
    std::vector<Judge> judges;
    std::size_t rows = 0;
    const Tuned tuned =
        tune(question("1,8,8,8,8,3,3,1", store), "", {}, {}, [&](const Tuned& so_far) {
            judges.push_back(so_far.judge);
            rows = so_far.rows.size();
        });
    REQUIRE(judges.size() >= 2);
    CHECK(judges.front() == Judge::model);
    CHECK(judges.back() == Judge::simulator);
    CHECK(rows == tuned.rows.size());
    CHECK(tuned.answers.from_store == 0);
    CHECK(tuned.answers.judged == 2 * tuned.evaluated - tuned.rough);

    const Tuned again = tune(question("1,8,8,8,8,3,3,1", store), "");
    CHECK(again.answers.judged == 0);
    CHECK(again.answers.from_store == tuned.answers.judged);
    CHECK(same_rows(again, tuned));
}
