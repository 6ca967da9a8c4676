// Romou's figure 7: the stairs against the warps by hand, the findings against made-up times.

#include "devices/targets/simulated_target.hpp"
#include "experiments/romou/romou_warp.hpp"
#include "tests/experiments/finding_of.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

WarpSteps made_up(double (*time)(int items))
{
    WarpSteps data{{}, 64};
    for (int items = 1; items <= 260; items += items % 4 == 1 ? 3 : 1) {
        data.points.push_back({static_cast<double>(items), {time(items)}});
    }
    return data;
}

} // namespace

TEST_CASE("Romou's figure 7: time goes with the warps of a group")
{
    DeviceProfile device = find_profile("adreno-640");
    const WarpSteps data = [&] {
        SimulatedTarget target(device, 0, 1);
        return measure_warp_steps(target);
    }();
    CHECK(data.warp_size == 64);
    const double one = data.points.front().samples.front();
    for (const ProbePoint& point : data.points) {
        CHECK(point.samples.front() == Approx(one * std::ceil(point.x / 64)).epsilon(0.02));
    }
}

TEST_CASE("Romou's figure 7: the findings follow the data")
{
    // Two warps go through an ALU in the time of one and a little.
    const auto like_paper = romou_warp_findings(made_up([](int items) {
        return 100.0 * std::ceil(items / 128.0) + (std::ceil(items / 64.0) > 1 ? 10.0 : 0.0);
    }));
    for (const Finding& finding : like_paper) {
        CHECK(finding.verdict == Verdict::holds);
    }
    const auto equal =
        romou_warp_findings(made_up([](int items) { return 100.0 * std::ceil(items / 64.0); }));
    CHECK(finding_of(equal, "1 to 64").verdict == Verdict::holds);
    CHECK(finding_of(equal, "from 64 to 65").verdict == Verdict::does_not_hold);
    CHECK(
        finding_of(romou_warp_findings(made_up([](int items) { return 100.0 + items; })), "1 to 64")
            .verdict == Verdict::does_not_hold);

    WarpSteps narrow = made_up([](int items) { return std::ceil(items / 16.0); });
    narrow.warp_size = 16;
    CHECK(finding_of(romou_warp_findings(narrow), "the warp size").verdict ==
          Verdict::does_not_hold);
    WarpSteps few{{{1, {5}}}, {}};
    CHECK(finding_of(romou_warp_findings(few), "the warp size").verdict == Verdict::not_tested);
    CHECK(finding_of(romou_warp_findings(few), "from 64 to 65").verdict == Verdict::not_tested);
}
