// TMModel's figures 8 and 9: kinds of patterns by hand, small cases measured, findings from made-up
// times.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "experiments/tmmodel/gain_breakdown.hpp"
#include "experiments/tmmodel/pattern_map.hpp"
#include "tests/experiments/finding_of.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

constexpr auto row = AccessPattern::row;
constexpr auto column = AccessPattern::column;
constexpr auto block4 = AccessPattern::block4;

/// Four outputs, the smaller two with these patterns and the larger two with those.
PatternMap two_halves(const std::string& kernel, AccessPattern small, AccessPattern large,
                      double speedup = 2)
{
    PatternMap map{kernel, {}};
    for (const std::int64_t side : {16, 32, 256, 512}) {
        Schedule best;
        best.patterns = {side < 100 ? small : large};
        map.points.push_back({side, side, best, Nanoseconds{100}, Nanoseconds{100 * speedup}});
    }
    return map;
}

GainBreakdown with_times(std::array<double, 6> ns)
{
    GainBreakdown gain{"MatMul", parse_operator("matmul", "8,8,8"), 10, 5, {}};
    std::transform(ns.begin(), ns.end(), gain.times.begin(),
                   [](double t) { return Nanoseconds{t}; });
    return gain;
}

} // namespace

TEST_CASE("Pattern map: which inputs are in blocks")
{
    CHECK(blocked_inputs({row}) == BlockedInputs::none);
    CHECK(blocked_inputs({block4}) == BlockedInputs::all);
    CHECK(blocked_inputs({row, column}) == BlockedInputs::none);
    CHECK(blocked_inputs({block4, column}) == BlockedInputs::first);
    CHECK(blocked_inputs({row, block4}) == BlockedInputs::second);
    CHECK(blocked_inputs({block4, AccessPattern::block2}) == BlockedInputs::all);
    CHECK_THROWS_AS(blocked_inputs({}), Error);
}

TEST_CASE("Pattern map: kernels have outputs of the height and width asked for")
{
    for (const std::string& kernel : mapped_kernels()) {
        CAPTURE(kernel);
        const std::vector<std::int64_t>& sizes = mapped_operator(kernel, 24, 40).output.shape;
        const std::size_t first = sizes.size() == 4 ? 1 : 0; // behind the batch
        CHECK(sizes[first] == 24);
        CHECK(sizes[first + 1] == 40);
    }
    CHECK_THROWS_AS(mapped_operator("Conv4D", 1, 1), Error);
}

TEST_CASE("Pattern map: the base time is the least of the vanilla version's")
{
    const DeviceProfile device = find_profile("adreno-740");
    const PatternMapPoint point = measure_pattern("SoftMax", 16, 32, {device}, 1000, 100);
    const Operator op = mapped_operator("SoftMax", 16, 32);
    double least = 1e300;
    for (const Schedule& schedule : baseline_schedules(Baseline::vanilla, op, device)) {
        least = std::min(least, simulated_time(loop_nest(op, schedule), device, 1000).value);
    }
    CHECK(point.base_time.value == least);
    CHECK(point.best_time.value == simulated_time(loop_nest(op, point.best), device, 1000).value);
}

TEST_CASE("Pattern map: findings follow the data, and a kernel that is not there is not tested")
{
    const std::vector<PatternMap> as_paper{
        two_halves("SoftMax", block4, row), two_halves("MatMul", block4, column),
        two_halves("Conv2Ds1", row, block4), two_halves("DwConv2D", AccessPattern::block2, block4)};
    const std::vector<PatternMap> otherwise{
        two_halves("SoftMax", row, block4), two_halves("MatMul", row, row, 0.9),
        two_halves("Conv2Ds1", block4, row), two_halves("DwConv2D", block4, row)};
    for (const char* claim :
         {"SoftMax", "MatMul", "Conv2Ds1", "DwConv2D", "which patterns", "the choice is never"}) {
        CHECK(finding_of(pattern_map_findings(as_paper), claim).verdict == Verdict::holds);
        CHECK(finding_of(pattern_map_findings(otherwise), claim).verdict == Verdict::does_not_hold);
        CHECK(finding_of(pattern_map_findings({}), claim).verdict == Verdict::not_tested);
    }
    const PanelPlot plot = pattern_map_plot(as_paper, {find_profile("adreno-740")});
    test::check_nothing_clipped(plot);
    CHECK(plot.panels.size() == 4);
    CHECK(plot.panels[0].curves[0].points.size() + plot.panels[0].curves[3].points.size() == 4);
    CHECK(plot.panels[0].curves[0].points[0].radius == Approx(3.2 * std::sqrt(2)));
}

TEST_CASE("Gain breakdown: no version is faster than the exhaustive search's")
{
    const DeviceProfile device = find_profile("adreno-740");
    const Operator op = parse_operator("softmax", "16,16");
    const GainBreakdown gain =
        measure_gains("SoftMax", op, {device}, calibrate_profile(device, 1), {200, 10'000});
    CHECK(gain.space == configuration_space(op, device).size());
    CHECK(gain.tried <= gain.space);
    for (const GainStep step : all_gain_steps) {
        CAPTURE(to_string(step));
        CHECK(gain.time(step) >= gain.time(GainStep::exhaustive));
        CHECK(gain.speedup(step) == Approx(gain.time(GainStep::base) / gain.time(step)));
    }
}

TEST_CASE("Gain breakdown: findings follow the data")
{
    // Base, tile, tile by the printed model, all, all by the printed model, exhaustive.
    const std::vector<GainBreakdown> good{with_times({1000, 500, 600, 250, 251, 250})};
    const std::vector<GainBreakdown> bad{good.front(),
                                         with_times({1000, 1100, 1000, 1200, 300, 250})};
    for (const char* claim : {"predicted tiles", "predicted patterns", "both together",
                              "the shortlist's", "the choice of"}) {
        CHECK(finding_of(gain_breakdown_findings(good), claim).verdict == Verdict::holds);
        CHECK(finding_of(gain_breakdown_findings(bad), claim).verdict == Verdict::does_not_hold);
        CHECK(finding_of(gain_breakdown_findings({}), claim).verdict == Verdict::not_tested);
    }
    test::check_nothing_clipped(gain_breakdown_plot(bad, {find_profile("adreno-740")}));
}
