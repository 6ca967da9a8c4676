// Experiments whose times come from a real device, each at a small size on PoCL: what is timed has
// a time of that device, and what a device does not tell decides nothing.

#include "devices/kernels/opencl_device.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/experiment.hpp"
#include "experiments/romou/romou_breakdown.hpp"
#include "experiments/romou/romou_operators.hpp"
#include "experiments/romou/romou_roofline.hpp"
#include "experiments/romou/romou_search_cost.hpp"
#include "experiments/shared/experiment_device.hpp"
#include "experiments/tmmodel/gain_breakdown.hpp"
#include "experiments/tmmodel/model_readings.hpp"
#include "experiments/tmmodel/network_kernels.hpp"
#include "experiments/tmmodel/pattern_map.hpp"
#include "experiments/tmmodel/tuning_cost.hpp"
#include "experiments/work_groups/work_group_networks.hpp"
#include "experiments/work_groups/work_group_utilisation.hpp"
#include "tests/experiments/finding_of.hpp"
#include "workbench/study/prediction.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

using namespace texelscope;
using namespace texelscope::experiments;
using Catch::Matchers::Contains;
using test::finding_of;

TEST_CASE("All experiments but a few take a real device, and those few say why not")
{
    std::set<std::string_view> refusing;
    for (const Experiment& experiment : all_experiments()) {
        CAPTURE(experiment.name);
        CHECK(experiment.runs_on_devices() == experiment.not_on_devices.empty());
        if (experiment.runs_on_devices()) {
            CHECK_NOTHROW(experiment.check_runs_on_devices());
            continue;
        }
        refusing.insert(experiment.name);
        CHECK_THROWS_WITH(experiment.check_runs_on_devices(),
                          Contains(std::string(experiment.not_on_devices)) &&
                              Contains(std::string(experiment.name)));
        // Refused before a device is looked for.
        CHECK_THROWS_WITH(
            experiment.run_on("no such device", {}, find_profile("adreno-740"), {}, {}),
            Contains(std::string(experiment.not_on_devices)));
    }
    CHECK(refusing == std::set<std::string_view>{"fig5", "measured", "measured-h100", "search",
                                                 "registers", "romou-pruning", "judges"});
}

TEST_CASE("On a device: choices of TMModel's experiments have times of that device", "[opencl]")
{
    const OpenClDevice on("pocl");
    const DeviceProfile profile = find_profile("adreno-740");
    const ExperimentDevice device{profile, &on};

    const PatternMapPoint point = measure_pattern("SoftMax", 8, 16, device, 200, 3);
    const PatternMapPoint simulated = measure_pattern("SoftMax", 8, 16, {profile}, 200, 3);
    CHECK(point.best_time.value > 0);
    CHECK(point.base_time.value > 0);
    CHECK(point.best_time != simulated.best_time);

    const std::vector<NetworkKernel> kernels{{"ViT-B/16", parse_operator("matmul", "16,16,16"), 3}};
    const NetworkStudy study =
        measure_network_kernels(kernels, device, {.sample = 200, .tries = 2});
    CHECK(study.device == on.info().name);
    CHECK(study.left_out.empty());
    REQUIRE(study.kernels.size() == 1);
    CHECK(study.kernels.front().speedup() > 0);
    CHECK(study.kernels.front().choices.shortlist.choice.trials == 2);

    const std::vector<ReadingCase> readings = timed_readings(
        {parse_operator("matmul", "16,16,16")}, device, {.draws = 4, .first = 2, .sample = 200});
    REQUIRE(readings.size() == 1);
    CHECK(std::ranges::min(readings.front().ratios) >= 1 - 1e-12);

    const std::array shapes{parse_operator("conv2d", "1,4,4,4,4,3,3,1")};
    const std::vector<TuningCost> costs = measure_tuning_costs(
        shapes, device, calibrate_profile(profile, 1), [] { return 0.0; }, {.draws = 1});
    for (const TuningCost& cost : costs) {
        CAPTURE(cost.tuner);
        CHECK((cost.run_seconds > 0) == (cost.runs > 0));
    }
}

TEST_CASE("On a device: no version of figure 9 is faster than the fastest that ran",
          "[opencl][long]")
{
    const OpenClDevice on("pocl");
    const DeviceProfile profile = find_profile("adreno-740");
    const GainBreakdown gain = measure_gains("SoftMax", parse_operator("softmax", "16,16"),
                                             {profile, &on}, calibrate_profile(profile, 1),
                                             {.fastest = {.again = 2, .first = 4, .drawn = 4}});
    CHECK(gain.tried == 8);
    for (const GainStep step : all_gain_steps) {
        CAPTURE(to_string(step));
        CHECK(gain.time(step) >= gain.time(GainStep::exhaustive));
        CHECK(gain.time(GainStep::exhaustive).value > 0);
    }
}

TEST_CASE("On a device: rates of Romou's experiments are of runs, and the profile's roofs decide "
          "nothing",
          "[opencl]")
{
    const OpenClDevice on("pocl");
    const DeviceProfile profile = find_profile("adreno-640");
    const ExperimentDevice device{profile, &on};

    const Breakdown breakdown =
        measure_breakdown(device, {.shapes = {"1,8,8,16,16,1,1,1"}, .runs = 3});
    REQUIRE(breakdown.cases.size() == 1);
    CHECK(breakdown.cases[0].buffers.ns > 0);
    CHECK(breakdown.cases[0].images.ns > 0);

    const Roofline roofline = measure_roofline(
        device, {.shape = "1,8,8,16,16,1,1,1", .coarsenings = {{4, 4}, {4, 6}}, .runs = 3});
    CHECK(roofline.measured);
    REQUIRE(roofline.kernels.size() == 2);
    CHECK(roofline.kernels[0].gflops > 0);
    const std::vector<Finding> findings = romou_roofline_findings(roofline);
    for (const char* claim : {"at 4 operations", "with all data", "a coarsening of 4x4 takes",
                              "a coarsening of 4x6 raises"}) {
        CHECK(finding_of(findings, claim).verdict == Verdict::not_tested);
        CHECK_THAT(finding_of(findings, claim).ours, Contains("of the profile"));
    }
    for (const char* claim : {"a coarsening of 4x4 makes", "and the kernel of 4x6",
                              "no kernel is above", "the fastest kernel"}) {
        CHECK(finding_of(findings, claim).verdict != Verdict::not_tested);
    }

    const PruningExample example{"small", parse_operator("conv2d", "1,4,4,8,8,1,1,1"), 1, 1};
    const SearchCost cost = measure_search_cost({example}, device, {.runs = 3, .seeds = 1});
    REQUIRE(cost.cases.size() == 1);
    CHECK(cost.cases[0].whole.gflops.at(0).size() == 3);
}

TEST_CASE("On a device: convolutions are tuned and run in their networks", "[opencl]")
{
    const OpenClDevice on("pocl");
    const DeviceProfile profile = find_profile("adreno-640");
    const OperatorStudy study =
        measure_operators({profile, &on}, {.networks = {}, .tuning = {.candidates = 0, .runs = 1}});
    CHECK(study.device == on.info().name);
    REQUIRE(study.operators.size() == 2);
    for (const OperatorTimes& one : study.operators) {
        CHECK(one.ns.size() + study.left_out.size() >= romou_planners().size());
        for (const auto& [planner, ns] : one.ns) {
            CAPTURE(planner);
            CHECK(ns > 0);
        }
    }
}

TEST_CASE("On a device: work-groups have times, and what ALUs do is not tested", "[opencl]")
{
    const OpenClDevice on("pocl");
    const DeviceProfile profile = find_profile("adreno-630");
    const RuledKernel kernel{"Conv", parse_operator("conv2d", "1,8,8,8,16,3,3,1")};
    const WorkGroupOptions options{.draws = 4, .sample = 200};
    const WorkGroupTimes times = measure_work_groups(kernel, {profile, &on}, options);
    const WorkGroupTimes simulated = measure_work_groups(kernel, {profile}, options);
    CHECK(times.measured);
    CHECK(times.device == on.info().name);
    REQUIRE(times.groups.size() <= simulated.groups.size());
    for (const WorkGroupTime& group : times.groups) {
        CHECK(group.time.value > 0);
        CHECK_FALSE(group.alu_utilisation);
        // Which rules a size follows is the profile's, as in a simulation.
        const auto same =
            std::ranges::find(simulated.groups, group.schedule, &WorkGroupTime::schedule);
        REQUIRE(same != simulated.groups.end());
        CHECK(group.follows == same->follows);
    }
    const std::vector<Finding> findings = work_group_utilisation_findings(times);
    for (const char* claim : {"it uses the ALUs", "the higher", "the ALUs are"}) {
        CHECK(finding_of(findings, claim).verdict == Verdict::not_tested);
        CHECK_THAT(finding_of(findings, claim).ours, Contains("a real device tells times"));
    }
    CHECK_THAT(finding_of(findings, "the best work-group").ours,
               Contains("the paper has no device of this kind"));
}

TEST_CASE("On a device: shares of networks decide nothing, times do")
{
    // As measure_work_group_network() has them of an Adreno and a Mali.
    std::vector<WorkGroupNetwork> all;
    for (const char* device : {"QUALCOMM Adreno(TM) 630", "Mali-G72"}) {
        WorkGroupNetwork one{device, "mobilenet-v1", 100, 80};
        one.sizes = 50;
        one.trying_ns = 20'000;
        one.measured = true;
        all.push_back(one);
    }
    const std::vector<Finding> findings = work_group_network_findings(all);
    for (const char* claim :
         {"adreno: with the rules'", "mali: with the rules'", "no network takes longer",
          "the largest gain", "where each size is run"}) {
        CHECK(finding_of(findings, claim).verdict == Verdict::holds);
    }
    for (const char* claim : {"adreno: cores are busy", "mali: arithmetic", "the arithmetic units",
                              "on every device and network memory"}) {
        CHECK(finding_of(findings, claim).verdict == Verdict::not_tested);
        CHECK_THAT(finding_of(findings, claim).ours, Contains("times alone"));
    }
}
