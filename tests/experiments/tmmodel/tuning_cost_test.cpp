// TMModel's table 5: counts against the spaces, time by a clock that ticks when it is asked.

#include "codegen/nest/loop_nest.hpp"
#include "experiments/tmmodel/tuning_cost.hpp"
#include "tests/experiments/finding_of.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/launch_result.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

const TuningCost& cost_of(const std::vector<TuningCost>& costs, const std::string& tuner)
{
    return *std::find_if(costs.begin(), costs.end(),
                         [&](const TuningCost& cost) { return cost.tuner == tuner; });
}

/// Seconds of MNN, CLML, TVM, TFLite, PPT-GPU, TMModel, descent, bottleneck, shortlist; each
/// baseline but PPT-GPU runs `runs`.
std::vector<TuningCost> made_up(std::array<double, 9> seconds, std::int64_t runs = 500,
                                std::int64_t model_runs = 0)
{
    constexpr std::array names{"MNN",     "CLML",    "TVM",        "TFLite",   "PPT-GPU",
                               "TMModel", "descent", "bottleneck", "shortlist"};
    std::vector<TuningCost> costs;
    for (std::size_t i = 0; i < names.size(); ++i) {
        costs.push_back({names[i],
                         i < 5 ? 100 : 10'000,
                         i < 4    ? runs
                         : i == 5 ? model_runs
                                  : 0,
                         seconds[i],
                         0,
                         {}});
    }
    return costs;
}

} // namespace

TEST_CASE(
    "Tuning cost: runs and configurations are those of the searches, added up over the shapes")
{
    const DeviceProfile device = find_profile("adreno-740");
    const std::array shapes{parse_operator("conv2d", "1,4,4,4,4,3,3,1"),
                            parse_operator("conv2d", "1,6,6,4,4,3,3,1")};
    double now = 0;
    const ProcessorClock clock = [&] { return now += 1; };
    const TuningCostOptions options{.sample = 300, .draws = 1000};
    const std::vector<TuningCost> costs =
        measure_tuning_costs(shapes, {device}, calibrate_profile(device, 1), clock, options);
    REQUIRE(costs.size() == 9);

    std::int64_t whole = 0;
    std::int64_t clml_runs = 0;
    std::int64_t patterns = 0;
    std::int64_t learned = 0;
    double clml_ns = 0;
    for (const Operator& op : shapes) {
        whole += configuration_space(op, device).size();
        learned +=
            std::min<std::int64_t>(64, framework_search(Framework::tvm, op, device).space.size());
        patterns += framework_search(Framework::ppt_gpu, op, device).space.size();
        const ConfigurationSpace clml = framework_search(Framework::clml, op, device).space;
        clml_runs += clml.size();
        for (std::int64_t i = 0; i < clml.size(); ++i) {
            clml_ns += simulated_time(loop_nest(op, clml.at(i)), device, options.sample).value;
        }
    }
    CHECK(cost_of(costs, "CLML").runs == clml_runs);
    CHECK(cost_of(costs, "CLML").run_seconds == Approx(clml_ns * 1e-9));
    CHECK(cost_of(costs, "CLML").model_seconds == 0);
    CHECK(cost_of(costs, "TVM").runs == learned);
    CHECK(cost_of(costs, "PPT-GPU").configurations == patterns);
    CHECK(cost_of(costs, "PPT-GPU").runs == 0);
    CHECK(cost_of(costs, "PPT-GPU").seconds() == 2); // from tick to tick, for two shapes
    CHECK(cost_of(costs, "TMModel").configurations == whole);
    CHECK(cost_of(costs, "TMModel").runs == 0);
    CHECK(cost_of(costs, "TMModel").seconds() == 2);
    CHECK(cost_of(costs, "descent").configurations > 0);
    CHECK(cost_of(costs, "descent").configurations < whole / 2);
    CHECK(cost_of(costs, "descent").seconds() == 2);
    CHECK(cost_of(costs, "bottleneck").configurations == whole);
    CHECK(cost_of(costs, "shortlist").configurations == whole);
    CHECK(cost_of(costs, "shortlist").runs == 2 * 64);
    CHECK(cost_of(costs, "shortlist").run_seconds > 0);
    CHECK(cost_of(costs, "shortlist").model_seconds == cost_of(costs, "bottleneck").model_seconds);
}

TEST_CASE("Tuning cost: findings follow the data")
{
    const auto verdict = [](const std::vector<TuningCost>& costs, const std::string& claim) {
        return finding_of(tuning_cost_findings(costs), claim).verdict;
    };
    const std::array claims{
        "the model as printed", "it takes at most", "no kernel runs", "the model looks",
        "reuse distances",      "of the baselines", "one knob",       "with 64 runs"};
    const auto as_paper = made_up({73.4, 10.4, 234, 552, 771, 1.9, 0.5, 1, 5});
    for (const char* claim : claims) {
        CHECK(verdict(as_paper, claim) == Verdict::holds);
    }
    auto otherwise = made_up({1, 2, 3, 4, 0.5, 0.6, 0.55, 0.2, 7}, 90, 1);
    otherwise.front().configurations = 20'000;
    for (const char* claim : claims) {
        CHECK(verdict(otherwise, claim) == Verdict::does_not_hold);
    }
    CHECK(verdict(made_up({73.4, 10.4, 234, 552, 771, 2.0, 0.5, 1, 5}), "it takes at most") ==
          Verdict::does_not_hold);
}
