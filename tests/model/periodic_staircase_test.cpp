#include "base/error.hpp"
#include "model/curves/periodic_staircase.hpp"
#include "noisy_curves.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>

using namespace texelscope::model;

namespace {

/// A curve at x = 1, 1 + step, .. of three samples a point, of which 3 % are twice as large.
std::vector<ProbePoint> sampled(std::mt19937_64& random, std::size_t points, std::int64_t step,
                                double deviation, const std::function<double(double)>& level)
{
    std::vector<ProbePoint> curve(points);
    for (std::size_t i = 0; i < points; ++i) {
        curve[i].x = static_cast<double>(1 + static_cast<std::int64_t>(i) * step);
        for (int sample = 0; sample < 3; ++sample) {
            const double factor = noise_factor(random, NoiseKind::gaussian, deviation);
            curve[i].samples.push_back(level(curve[i].x) * factor *
                                       (uniform_real(random) < 0.03 ? 2 : 1));
        }
    }
    return curve;
}

} // namespace

TEST_CASE("periods of staircases are found, and the intervals cover them")
{
    const auto step = GENERATE(std::int64_t{1}, std::int64_t{7});
    const auto deviation = GENERATE(0.001, 0.05);
    CAPTURE(step, deviation);
    int found = 0;
    int exact = 0;
    int covered = 0;
    double promised = 0; // exact ones that the probabilities speak of
    constexpr int curves = 150;
    for (int i = 0; i < curves; ++i) {
        std::mt19937_64 random(400U + static_cast<std::uint64_t>(i));
        const auto period =
            3 * step +
            static_cast<std::int64_t>(uniform_below(random, static_cast<std::uint64_t>(18 * step)));
        const auto curve = sampled(random, 80, step, deviation, [&](double x) {
            return 50 + 20 * std::ceil(x / static_cast<double>(period));
        });
        if (const std::optional<StaircasePeriod> stairs = find_period(curve)) {
            ++found;
            exact += stairs->period == period ? 1 : 0;
            covered += stairs->low <= period && period <= stairs->high ? 1 : 0;
            promised += stairs->probability;
            CHECK(stairs->first == Approx(70).epsilon(0.15));
            CHECK(stairs->rise == Approx(20).epsilon(0.15));
            CHECK(stairs->p_value <= 0.01);
        }
    }
    CHECK(found >= 0.97 * curves);
    CHECK(covered >= 0.93 * found);
    CHECK(exact >= promised - 3 * std::sqrt(found * 0.25));
    CHECK((step > 1 || exact >= 0.97 * found)); // every place is sampled
}

TEST_CASE("plateaus, lines, bends and single jumps have no period")
{
    int periods = 0;
    for (int i = 0; i < 100; ++i) {
        std::mt19937_64 random(7000U + static_cast<std::uint64_t>(i));
        const double slope = 2 * uniform_real(random);
        const double at = 20 + 40 * uniform_real(random);
        const std::vector<std::function<double(double)>> levels{
            [](double) { return 100.0; },
            [&](double x) { return 50 + slope * x; },
            [&](double x) { return 50 + slope * std::max(0.0, x - at); },
            [&](double x) { return x > at ? 150.0 : 100.0; },
            [](double x) { return 200 - x; },
        };
        for (const auto& level : levels) {
            periods += find_period(sampled(random, 80, 1, 0.03, level)) ? 1 : 0;
        }
    }
    CHECK(periods <= 5); // 1 % of 500
}

TEST_CASE("a period that the points cannot tell from others has a wide interval")
{
    // Only x = 1, 17, 33, ..: the period of 64 rises at x = 65, 129, .., seen alike from 62 on.
    std::mt19937_64 random(3);
    const auto curve =
        sampled(random, 24, 16, 0.01, [](double x) { return 10 * std::ceil(x / 64); });
    const std::optional<StaircasePeriod> stairs = find_period(curve);
    REQUIRE(stairs);
    CHECK(stairs->low < stairs->high);
    CHECK(stairs->low <= 64);
    CHECK(stairs->high >= 64);
    CHECK(stairs->probability < 0.9);
}

TEST_CASE("staircases on what is no curve are refused")
{
    using Curve = std::vector<ProbePoint>;
    CHECK_FALSE(find_period(Curve{{1, {2}}, {2, {3}}}));
    CHECK_THROWS_AS(find_period(Curve{}), Error);
    CHECK_THROWS_AS(find_period(Curve{{0, {1}}}), Error);
    CHECK_THROWS_AS(find_period(Curve{{1.5, {1}}}), Error);
    CHECK_THROWS_AS(find_period(Curve{{std::nan(""), {1}}}), Error);
    CHECK_THROWS_AS(find_period(Curve{{1, {std::nan("")}}}), Error);
    CHECK_THROWS_AS(find_period(Curve{{1, {1}}}, {0.0}), Error);
    CHECK_THROWS_AS(find_period(Curve{{1, {1}}}, {0.01, 0.95, 2}), Error);
}
