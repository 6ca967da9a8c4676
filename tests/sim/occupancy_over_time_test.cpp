#include "sim/options/options.hpp"
#include "sim/result/occupancy_over_time.hpp"
#include "tests/sim/timed_case.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

using namespace texelscope::sim;
using namespace texelscope::test;
using Point = OccupancyOverTime::Point;

TEST_CASE("the occupancy over time of a few warps is as computed by hand")
{
    // Three work-groups of one warp each, two slots. Warps 0 and 1 issue at 0 and 1, their data
    // come at 310 and 311; the second read of warp 1 is a hit and done at 381.
    SimulationCase c = burst({});
    c.options.kernel.occupancy = 2;
    c.rows = {
        {0, 0, 0, 0, {0, 0}}, {1, 0, 0, 0, {1, 0}}, {1, 0, 1, 0, {1, 0}}, {2, 0, 0, 0, {2, 0}}};

    c.options.machine.group_schedule = GroupSchedule::refill; // warp 2 follows warp 0 at 310
    const SimulationResult refill = simulate(*c.source(), c.options);
    CHECK(refill.cores[0].occupancy_over_time.points ==
          std::vector<Point>{{0, 2}, {381, 1}, {620, 0}});
    CHECK(refill.cores[0].occupancy_over_time.warp_cycles == 2 * 381 + 239);
    CHECK(refill.average_resident_warps() == Approx(1001.0 / 620));
    CHECK(refill.cores[0].average_resident_warps() == Approx(1001.0 / 620));

    c.options.machine.group_schedule =
        GroupSchedule::batch; // warp 2 waits until warp 1 is done at 381
    const SimulationResult batch = simulate(*c.source(), c.options);
    CHECK(batch.cores[0].occupancy_over_time.points ==
          std::vector<Point>{{0, 2}, {310, 1}, {691, 0}});
    CHECK(batch.average_resident_warps() == Approx((2 * 310 + 381) / 691.0));

    c.options.machine.warps_per_core = 8;
    CHECK(achieved_occupancy(1.5, c.options) == Approx(1.5 / 8));
    c.options.kernel.occupancy = 12; // overrides the limit
    CHECK(achieved_occupancy(1.5, c.options) == Approx(1.5 / 12));
}

TEST_CASE("a core without work has no occupancy, and does not count in the average")
{
    SimulationCase c = burst({{0, 0}});
    c.options.machine.cores = 3;
    const SimulationResult r = simulate(*c.source(), c.options);
    CHECK(r.cores[1].occupancy_over_time.points.empty());
    CHECK(r.cores[1].average_resident_warps() == 0);
    CHECK(r.average_resident_warps() == Approx(1));
}

TEST_CASE(
    "an occupancy series keeps to its number of points, and each point is the mean of its cycles")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        const auto most = static_cast<std::size_t>(random.pick(std::vector<int>{4, 9, 32, 100000}));
        OccupancyRecorder recorder(most);
        std::vector<std::int64_t> warps(6000, 0); // by cycle
        std::int64_t cycle = 0;
        std::int64_t end = 0;
        const int count = random.small(1, 400);
        const int pause = random.pick(std::vector<int>{1, 3, 12});
        for (int i = 0; i < count; ++i) {
            const std::int64_t leaves = cycle + random.between(1, 60);
            recorder.enter(cycle);
            recorder.leave(leaves);
            for (std::int64_t at = cycle; at < leaves; ++at) {
                ++warps[static_cast<std::size_t>(at)];
            }
            end = std::max(end, leaves);
            cycle = std::min(end, cycle + random.between(0, pause)); // some warp is always resident
        }
        const OccupancyOverTime series = recorder.result();
        CAPTURE(seed, most, count, series.points.size());
        REQUIRE(series.points.size() <= most);
        REQUIRE(series.points.size() >= 2);
        REQUIRE(series.points.front().cycle == 0);
        REQUIRE(series.points.back() == Point{end, 0});
        REQUIRE(series.warp_cycles == std::accumulate(warps.begin(), warps.end(), std::int64_t{0}));
        for (std::size_t i = 0; i + 1 < series.points.size(); ++i) {
            const auto first = warps.begin() + static_cast<std::ptrdiff_t>(series.points[i].cycle);
            const auto last =
                warps.begin() + static_cast<std::ptrdiff_t>(series.points[i + 1].cycle);
            REQUIRE(first < last);
            const auto area = static_cast<double>(std::accumulate(first, last, std::int64_t{0}));
            REQUIRE(series.points[i].warps == Approx(area / static_cast<double>(last - first)));
            if (most == 100000) { // nothing is merged that differs
                REQUIRE(*std::min_element(first, last) == *std::max_element(first, last));
            }
        }
    }
}
