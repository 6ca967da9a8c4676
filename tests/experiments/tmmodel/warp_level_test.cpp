// TMModel's warp level on made-up warps: a power of D, a step, and nothing to tell.

#include "experiments/tmmodel/warp_level.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace texelscope;
using namespace texelscope::experiments;

namespace {

/// Warps of up to 64 threads on 32 lines, whose slowdown is a function of equation 2's exponent,
/// counted here by hand: lines in use over lines of the cache, rounded up, less 1.
template <class Slowdown>
WarpScaling warps_that_slow_down(const Slowdown& slowdown, int warp_size = 64)
{
    WarpScaling data;
    data.cache_lines = 32;
    for (const std::size_t p : {0U, 1U, 2U, 3U}) {
        WarpScaling::Series series{model::stream_patterns.at(p), {}};
        for (const int threads : model::growing_widths(warp_size)) {
            int exponent = 0;
            for (int lines = series.pattern.reuse_distance * threads; lines > 32; lines -= 32) {
                ++exponent;
            }
            const double share = 1 / slowdown(exponent);
            series.points.push_back({threads, threads * share, threads * share, share});
        }
        data.series.push_back(series);
    }
    return data;
}

} // namespace

TEST_CASE("Warp level: a power of the exponent is told by D")
{
    const WarpScaling data =
        warps_that_slow_down([](int exponent) { return std::pow(1.3, exponent); });
    const WarpLevel level = warp_level_of(data);
    CHECK(level.power.d == Approx(1.3));
    CHECK(level.power.held_out.r2 == Approx(1));
    CHECK(warp_level_finding(level).verdict == Verdict::holds);
    for (const WarpLevelPoint& point : level.points) {
        CAPTURE(point.pattern.name, point.threads);
        CHECK(point.threads > 1);
        CHECK(point.sample.slowdown == Approx(level.power.slowdown(point.sample.exponent)));
    }
}

TEST_CASE("Warp level: a step is told by its own form, not by a power")
{
    const WarpScaling data =
        warps_that_slow_down([](int exponent) { return exponent > 0 ? 1.7 : 1.0; });
    const WarpLevel level = warp_level_of(data);
    CHECK(level.step.d == Approx(1.7));
    CHECK(level.step.held_out.r2 == Approx(1));
    CHECK(level.power.d < 1.3); // the largest exponent, 7, has the most weight
    CHECK(level.power.held_out.r2 < 0.5);
    const Finding finding = warp_level_finding(level);
    CHECK(finding.verdict == Verdict::does_not_hold);
    CHECK(finding.ours.find("1.70 to 1.70 at 7") != std::string::npos);
    const ResultTable table = warp_level_table(level).table;
    REQUIRE(table.rows.size() == level.points.size());
    CHECK(table.columns.size() == 6);
}

TEST_CASE("Warp level: warps that hardly exceed the cache leave it open")
{
    const auto step = [](int exponent) { return exponent > 0 ? 1.7 : 1.0; };
    CHECK(warp_level_finding(warp_level_of(warps_that_slow_down(step, 8))).verdict ==
          Verdict::not_tested);
    CHECK(warp_level_finding(warp_level_of(warps_that_slow_down(step, 16))).verdict ==
          Verdict::not_tested); // exponents 0 and 1
    CHECK(warp_level_table(warp_level_of(warps_that_slow_down(step, 1))).table.rows.empty());
}
