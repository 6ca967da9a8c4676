// Jiang et al. (APSys 2020), figures 4 and 5 and table 3: utilisation against a whole simulation,
// scores and shares by hand, findings from made-up times.

#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"
#include "experiments/work_groups/work_group_distribution.hpp"
#include "experiments/work_groups/work_group_scores.hpp"
#include "experiments/work_groups/work_group_utilisation.hpp"
#include "tests/experiments/finding_of.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"
#include "traces/launch_source.hpp"
#include "workbench/study/stall_reasons.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <set>
#include <string>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

WorkGroupTime taking(double ns, double utilisation = 0.5, std::array<bool, 5> follows = {})
{
    return {{}, Nanoseconds{ns}, utilisation, follows, {}};
}

WorkGroupTimes made_up(const std::string& kernel, const std::string& device,
                       std::vector<WorkGroupTime> groups)
{
    return {kernel, device, 100, std::move(groups)};
}

/// Latencies in proportion to 1 / utilisation, from 0.1 to `best`.
WorkGroupTimes proportional(const std::string& device, double best, double slowest_over_best)
{
    std::vector<WorkGroupTime> groups;
    for (int i = 0; i < 9; ++i) {
        const double share = i / 8.0;
        groups.push_back(taking(100 * (slowest_over_best + share * (1 - slowest_over_best)),
                                0.1 + share * (best - 0.1)));
    }
    return made_up("Conv", device, groups);
}

} // namespace

TEST_CASE("Work-group figures: utilisation and rules are those of each size by itself")
{
    DeviceProfile device = find_profile("adreno-750");
    device.simulation.machine.cores = 2;
    const RuledKernel kernel{"Conv", parse_operator("conv2d", "1,8,8,8,16,3,3,1")};
    const WorkGroupOptions options{.draws = 12, .sample = 1'000'000, .seed = 5};
    const WorkGroupTimes times = measure_work_groups(kernel, {device}, options);
    CHECK(times.space == work_group_space(kernel.op, device).size());
    REQUIRE(times.groups.size() == 12);
    for (const WorkGroupTime& group : times.groups) {
        const LoopNest nest = loop_nest(kernel.op, group.schedule);
        SimulationOptions simulation = options_for(nest, device);
        simulation.mode.timed = true;
        const Launch launch = launch_of(nest);
        const SimulationResult whole = simulate(*make_trace_source(launch), simulation);
        CHECK(group.time.value == Approx(whole.time(simulation.machine).value().value));
        const double busy =
            static_cast<double>(whole.warps) * WarpCode(&launch, simulation).totals().cycles;
        REQUIRE(group.alu_utilisation);
        const StallStatistics stalls = all_stalls(whole);
        CHECK(*group.alu_utilisation ==
              Approx(static_cast<double>(stalls.alu_busy) / static_cast<double>(stalls.total())));
        // What the code of all warps holds the ports for, less what its reads do.
        const double all = busy / (2.0 * static_cast<double>(whole.cycles->value));
        CHECK(*group.alu_utilisation < all);
        CHECK(*group.alu_utilisation > 0.8 * all);
        for (const WorkGroupRule rule : all_work_group_rules) {
            CHECK(group.follows[static_cast<std::size_t>(rule)] ==
                  follows(rule, kernel.op, group.schedule, device));
        }
        const Dim3& g = group.schedule.group;
        CHECK(group_text(kernel.op, group) == std::to_string(g[1]) + "-" + std::to_string(g[2]) +
                                                  "-" +
                                                  std::to_string(g[0])); // width, height, channels
    }
    const WorkGroupTimes followed =
        measure_work_groups(kernel, {device}, {.draws = 3, .followers = 2, .sample = 500});
    int drawn_for_rules = 0;
    std::set<std::string> distinct;
    for (const WorkGroupTime& group : followed.groups) {
        if (group.drawn_for) {
            ++drawn_for_rules;
            CHECK(group.follows[static_cast<std::size_t>(*group.drawn_for)]);
        }
        CHECK(distinct.insert(to_string(group.schedule)).second);
    }
    CHECK(std::ssize(followed.groups) == 3 + drawn_for_rules);
    CHECK(drawn_for_rules > 5);
    device.simulation.machine.timing.alu_lanes = {};
    CHECK_FALSE(measure_work_groups(kernel, {device}, options).groups.front().alu_utilisation);
}

TEST_CASE("Work-group figures: groups are shown from the slowest to the fastest")
{
    std::vector<WorkGroupTime> groups;
    for (int i = 0; i < 21; ++i) {
        groups.push_back(taking(100 + i * 8 % 21));
    }
    const auto shown = shown_groups(made_up("Conv", "adreno-630", groups), 5);
    REQUIRE(shown.size() == 5);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        CHECK(shown[i].time.value == 120 - 5.0 * static_cast<double>(i));
    }
    CHECK(shown_groups(made_up("Conv", "adreno-630", {taking(1)}), 5).size() == 1);
}

TEST_CASE("Work-group figures: findings on utilisation follow the data, by the kind of device")
{
    const auto verdict = [](const WorkGroupTimes& conv, const std::string& claim) {
        return finding_of(work_group_utilisation_findings(conv), claim).verdict;
    };
    const std::array claims{"the best work-group", "it uses the ALUs", "the higher",
                            "the ALUs are"};
    for (const char* claim : claims) {
        CHECK(verdict(proportional("adreno-740", 0.3, 4), claim) == Verdict::holds);
    }
    CHECK(verdict(proportional("adreno-740", 0.15, 3), "the best work-group") ==
          Verdict::does_not_hold);
    CHECK(verdict(proportional("adreno-740", 0.15, 3), "it uses the ALUs") ==
          Verdict::does_not_hold);
    CHECK(verdict(proportional("mali-g72", 0.3, 4), "the best work-group") ==
          Verdict::does_not_hold);
    CHECK(verdict(proportional("pocl-cpu", 0.3, 4), "the best work-group") == Verdict::not_tested);
    CHECK(verdict(proportional("adreno-740", 0.99, 4), "the ALUs are") == Verdict::does_not_hold);
    WorkGroupTimes reversed = proportional("adreno-740", 0.3, 4);
    for (WorkGroupTime& group : reversed.groups) {
        group.alu_utilisation = 0.4 - *group.alu_utilisation;
    }
    CHECK(verdict(reversed, "the higher") == Verdict::does_not_hold);
    for (WorkGroupTime& group : reversed.groups) {
        group.alu_utilisation.reset();
    }
    CHECK(verdict(reversed, "the higher") == Verdict::not_tested);
}

TEST_CASE("Work-group figures: competitive sizes are those within 15 %")
{
    const WorkGroupTimes times = made_up(
        "Conv", "adreno-630", {taking(100), taking(115), taking(116), taking(300), taking(200)});
    CHECK(competitive_share(times) == Approx(2.0 / 5));

    const auto share = [](const std::string& kernel, const std::string& device, int competitive,
                          double slowest) {
        std::vector<WorkGroupTime> groups(100, taking(150));
        std::fill_n(groups.begin(), competitive, taking(100));
        groups.back() = taking(slowest);
        return made_up(kernel, device, groups);
    };
    const auto verdict = [](const std::vector<WorkGroupTimes>& kernels, const std::string& claim) {
        return finding_of(work_group_distribution_findings(kernels), claim).verdict;
    };
    const std::vector<WorkGroupTimes> good{share("Conv", "adreno-740", 5, 300),
                                           share("Dw-Conv", "adreno-740", 59, 250)};
    const std::vector<WorkGroupTimes> bad{share("Conv", "mali-g77", 70, 300),
                                          share("Dw-Conv", "mali-g77", 30, 160)};
    for (const char* claim : {"Conv:", "Dw-Conv:", "more sizes", "the size decides"}) {
        CHECK(verdict(good, claim) == Verdict::holds);
        CHECK(verdict(bad, claim) == Verdict::does_not_hold);
    }
    CHECK(verdict({share("Conv", "pocl-cpu", 5, 300)}, "Conv:") == Verdict::not_tested);

    const PanelPlot plot = work_group_distribution_plot(good);
    test::check_nothing_clipped(plot);
    double percent = 0;
    for (const PanelPlot::Point& point : plot.panels[0].bars[0].points) {
        percent += point.y;
    }
    CHECK(percent == Approx(100));
}

TEST_CASE("Work-group figures: scores of rules by equation 8, by hand")
{
    // f: 100 (fastest), 200, 400, 500 (slowest). Rule I: the first two; II: the slowest; III:
    // nobody; IV and V: the first.
    const WorkGroupTimes times =
        made_up("Conv", "adreno-630",
                {taking(100, 1, {true, false, false, true, true}),
                 taking(200, 1, {true, false, false, false, false}), taking(400),
                 taking(500, 1, {false, true, false, false, false})});
    const WorkGroupScores scores = work_group_scores(times);
    CHECK(scores.rules[0].score.value() == Approx((1 + 0.75) / 2));
    CHECK(scores.rules[0].following == 2);
    CHECK(scores.rules[1].score.value() == Approx(0));
    CHECK_FALSE(scores.rules[2].score);
    CHECK(scores.rules[4].score.value() == Approx(1));
    CHECK(scores.any == Approx((1 + 0.75 + 0.25 + 0) / 4));
    CHECK(scores.picked == Approx(1)); // the first follows three rules
    // A size drawn for rule II counts for no other rule, and not as one of any; it may be the
    // slowest of all.
    WorkGroupTimes more = times;
    more.groups.push_back(taking(900, 1, {true, true, false, false, false}));
    more.groups.back().drawn_for = WorkGroupRule::alus;
    const WorkGroupScores with_more = work_group_scores(more);
    CHECK(with_more.rules[0].score.value() == Approx((1 + 700.0 / 800) / 2));
    CHECK(with_more.rules[1].score.value() == Approx((400.0 / 800 + 0) / 2));
    CHECK(with_more.any == Approx((800 + 700 + 500 + 400) / 4.0 / 800));
    CHECK(paper_score("Conv", WorkGroupRule::alus).value() == 0.81);
    CHECK(paper_score("Dw-Conv", WorkGroupRule::accesses).value() == 0.99);
    CHECK_FALSE(paper_score("MatMul", WorkGroupRule::cores));
}

TEST_CASE("Work-group figures: findings on scores follow the data")
{
    WorkGroupScores good{"Conv", "adreno-630", {}, 0.6, 0.9};
    for (std::size_t r = 0; r < all_work_group_rules.size(); ++r) {
        good.rules[r] = {*paper_score("Conv", all_work_group_rules[r]) + 0.05, 10};
    }
    WorkGroupScores bad = good;
    bad.kernel = "Dw-Conv";
    bad.rules[4].score = 0.5;
    bad.picked = 0.4;
    WorkGroupScores empty{"Conv", "adreno-630", {}, 0.6, 0};
    for (const char* claim :
         {"sizes that follow a rule", "rule V", "every score", "sizes that follow the most"}) {
        CHECK(finding_of(work_group_score_findings({good}), claim).verdict == Verdict::holds);
        CHECK(finding_of(work_group_score_findings({good, bad}), claim).verdict ==
              Verdict::does_not_hold);
        CHECK(finding_of(work_group_score_findings({}), claim).verdict == Verdict::not_tested);
    }
    test::check_nothing_clipped(work_group_score_plot({good, bad, empty}));
    CHECK(finding_of(work_group_score_findings({empty}), "rule V").verdict == Verdict::not_tested);
}
