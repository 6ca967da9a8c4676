#include "base/error.hpp"
#include "model/tmmodel/calibration.hpp"
#include "walk_samples.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace texelscope::model;
using namespace texelscope::test;

namespace {

/// Warps whose slowdown is D^exponent for 16 lines, on 100 ns for one lane of every pattern.
std::vector<WarpSample> planted_warps(double d)
{
    std::vector<WarpSample> warps;
    for (const StreamPattern& pattern : stream_patterns) {
        for (const int lanes : growing_widths(64)) {
            const double excess = std::ceil((lanes * pattern.reuse_distance - 16) / 16.0);
            warps.push_back(
                {pattern, lanes, Nanoseconds{100 * std::pow(d, std::max(0.0, excess))}});
        }
    }
    return warps;
}

double latency(const CrossBlockHistogram& histogram)
{
    return 80 + 40.0 * static_cast<double>(histogram.bins[1].x) /
                    static_cast<double>(histogram.accesses);
}

} // namespace

TEST_CASE("a planted device is recovered from its samples")
{
    std::mt19937_64 random(1);
    CalibrationSamples samples;
    samples.walks = walk_samples(random, 80, latency);
    samples.warps = planted_warps(1.25);
    samples.cache_lines = 16;
    const Calibration calibration = fit_calibration(samples, std::nullopt, 1);
    CHECK(calibration.thrash.d == Approx(1.25).epsilon(1e-10));
    CHECK(calibration.thread.held_out.worst < 1e-3);
    CHECK(calibration.reuse_thread.beta.empty());
    CHECK(calibration.walks.size() == 80);
    CHECK(calibration.warps.size() == 60);
    CHECK(calibration.cache_lines == 16);

    samples.fresh_walks = samples.walks;
    const Calibration both = fit_calibration(samples, Regression::ridge, 1);
    CHECK(both.thread.regression == Regression::ridge);
    CHECK(both.thread.ridge_penalty > 0);
    CHECK(both.reuse_thread.beta == both.thread.beta);
}

TEST_CASE("slowdowns compare a warp with one lane of its own pattern")
{
    const StreamPattern row = stream_patterns[1];
    const StreamPattern block4 = stream_patterns[3];
    const std::vector<WarpSample> warps{{row, 1, Nanoseconds{50}},
                                        {row, 32, Nanoseconds{75}},
                                        {block4, 1, Nanoseconds{20}},
                                        {block4, 32, Nanoseconds{100}}};
    const std::vector<WarpSlowdown> slowdowns = warp_slowdowns(warps, 16);
    REQUIRE(slowdowns.size() == 2);
    CHECK(slowdowns[0].thrash.slowdown == Approx(1.5));
    CHECK(slowdowns[0].thrash.exponent == 1); // ceil((32 - 16) / 16)
    CHECK(slowdowns[1].thrash.slowdown == Approx(5));
    CHECK(slowdowns[1].thrash.exponent == 7); // ceil((128 - 16) / 16)
    CHECK_THROWS_WITH(warp_slowdowns({warps[0], warps[1], warps[3]}, 16),
                      Catch::Contains("block4"));
}
