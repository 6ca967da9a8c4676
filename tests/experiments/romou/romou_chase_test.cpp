// Romou's figure 6: latencies against those of each cache by hand, the findings against made-up
// curves.

#include "devices/profile/device_profile.hpp"
#include "devices/targets/simulated_target.hpp"
#include "experiments/romou/romou_chase.hpp"
#include "sim/options/options.hpp"
#include "tests/experiments/finding_of.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::experiments;
using Catch::Matchers::Contains;
using test::finding_of;

namespace {

/// A read of a stride of `line` elements and more costs `miss` beyond the capacity, of less a share
/// of it.
StridedChase made_up(std::int64_t capacity, std::int64_t line, double hit, double miss)
{
    StridedChase data;
    for (std::int64_t stride = 1; stride <= 16; stride *= 2) {
        StridedChase::Series series{stride, {}};
        for (std::int64_t range = 128; range <= 384; range += 8) {
            const double share =
                range <= capacity
                    ? 0.0
                    : std::min(1.0, static_cast<double>(stride) / static_cast<double>(line));
            series.points.push_back({range, Nanoseconds{hit + share * (miss - hit)}});
        }
        data.series.push_back(series);
    }
    return data;
}

} // namespace

TEST_CASE("Romou's figure 6: of a fully associative cache a chase misses on every line or on none")
{
    DeviceProfile device = find_profile("adreno-640");
    device.simulation.machine.l1().geometry = {
        .capacity = Bytes{512}, .line = Bytes{16}, .ways = 0};
    const double hit = 76 * 1000.0 / 585, miss = 111 * 1000.0 / 585;
    const StridedChase data = measure_strided_chase(device);
    REQUIRE(data.series.size() == 4); // 1, 2, 4 and 8 elements of 4 B
    for (const StridedChase::Series& series : data.series) {
        const std::int64_t lines_apart = std::max<std::int64_t>(1, series.stride / 4);
        for (const StridedChase::Point& point : series.points) {
            const std::int64_t lines = (point.range + 4 * lines_apart - 1) / (4 * lines_apart);
            const std::int64_t reads = (point.range + series.stride - 1) / series.stride;
            const double missing =
                lines > 32 ? static_cast<double>(lines) / static_cast<double>(reads) : 0;
            CAPTURE(series.stride, point.range);
            CHECK(point.latency.value == Approx(hit + missing * (miss - hit)).epsilon(1e-3));
        }
    }
    CHECK(line_stride(data) == 4);
    CHECK(last_hit_range(data.series[2]) == 128);
    CHECK_FALSE(last_hit_range(data.series[3])); // 24 lines at most
}

TEST_CASE(
    "Romou's figure 6: a target's chase is over texels of 16 B, and misses as a simulated one")
{
    DeviceProfile device = find_profile("adreno-640");
    device.simulation.machine.l1().geometry = {
        .capacity = Bytes{512}, .line = Bytes{16}, .ways = 0};
    SimulatedTarget target(device, 0, 1);
    const StridedChase data = measure_strided_chase(target, device);
    CHECK(data.element == Bytes{16});
    REQUIRE(data.series.size() == 2); // 1 and 2 elements of 16 B
    CHECK(data.series[0].points.front().range == 16);
    CHECK(data.series[0].points.back().range == 48);
    CHECK(last_hit_range(data.series[0]) == 32); // 512 B
    CHECK_FALSE(last_hit_range(data.series[1])); // 24 lines at most

    device.limits.image_width = 40;
    SimulatedTarget narrow(device, 0, 1);
    CHECK_THROWS_WITH(measure_strided_chase(narrow, device), Contains("row of 48 texels"));
}

TEST_CASE("Romou's figure 6: the findings follow the data")
{
    const auto like_paper = romou_chase_findings(made_up(256, 8, 130, 190));
    CHECK(finding_of(like_paper, "the L1 texture cache holds").verdict == Verdict::holds);
    CHECK_THAT(finding_of(like_paper, "the L1 texture cache holds").ours,
               Contains("stride 8: 1024 B"));
    CHECK(finding_of(like_paper, "a line of the L1").verdict == Verdict::holds);
    CHECK(finding_of(like_paper, "the lines of all strides").verdict == Verdict::holds);
    CHECK(finding_of(like_paper, "once the range").verdict == Verdict::holds);

    CHECK(finding_of(romou_chase_findings(made_up(200, 8, 130, 190)), "the L1 texture").verdict ==
          Verdict::does_not_hold);
    const auto wide = romou_chase_findings(made_up(256, 16, 130, 190));
    CHECK(finding_of(wide, "a line of the L1").verdict == Verdict::does_not_hold);
    CHECK(finding_of(wide, "the lines of all strides").verdict == Verdict::not_tested);

    StridedChase rising = made_up(256, 8, 130, 190);
    for (StridedChase::Point& point : rising.series[3].points) {
        point.latency.value += point.range > 300 ? 20 : 0;
    }
    const auto normal = romou_chase_findings(rising);
    CHECK(finding_of(normal, "the lines of all strides").verdict == Verdict::does_not_hold);
    CHECK(finding_of(normal, "once the range").verdict == Verdict::does_not_hold);

    for (const Finding& finding : romou_chase_findings(made_up(256, 8, 130, 130))) {
        CHECK(finding.verdict == Verdict::not_tested);
    }
}
