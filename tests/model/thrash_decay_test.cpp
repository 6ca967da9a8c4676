#include "base/error.hpp"
#include "base/random.hpp"
#include "model/tmmodel/thrash_decay.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace texelscope::model;

namespace {

std::int64_t exponent(std::int64_t w, int s, std::int64_t lines)
{
    const WarpInput input{w, s};
    return thrash_exponent({&input, 1}, lines);
}

std::vector<ThrashSample> planted_samples(double d, int count, double noise, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<ThrashSample> samples;
    for (int i = 0; i < count; ++i) {
        const auto e = static_cast<std::int64_t>(uniform_below(random, 12));
        samples.push_back(
            {e, std::pow(d, static_cast<double>(e)) * (1 + noise * (uniform_real(random) - 0.5))});
    }
    return samples;
}

} // namespace

TEST_CASE("the exponent of equation 2 by hand")
{
    CHECK(exponent(64, 0, 16) == 0); // column: ceil(-16 / 16) = -1, no thrashing
    CHECK(exponent(16, 1, 16) == 0); // just fits
    CHECK(exponent(17, 1, 16) == 1); // ceil(1 / 16)
    CHECK(exponent(64, 1, 16) == 3); // ceil(48 / 16)
    CHECK(exponent(64, 2, 16) == 7);
    CHECK(exponent(64, 4, 16) == 15);
    CHECK(exponent(64, 8, 16) == 31);
    CHECK(exponent(8, 1, 16) == 0); // ceil(-8 / 16) = 0
    CHECK(exponent(64, 8, 1000) == 0);
}

TEST_CASE("the exponent of equation 3 adds the lines of all inputs")
{
    // 40 lines: ceil(24 / 16)
    CHECK(thrash_exponent(std::vector<WarpInput>{{8, 1}, {8, 4}}, 16) == 2);
    CHECK(thrash_exponent(std::vector<WarpInput>{{8, 1}, {8, 1}}, 16) == 0); // 16 lines fit
    CHECK(thrash_exponent({}, 16) == 0);
    for (std::int64_t lines = 1; lines < 20; ++lines) {
        for (std::int64_t w = 0; w < 70; ++w) {
            const double formula =
                std::ceil((3.0 * static_cast<double>(w) - static_cast<double>(lines)) /
                          static_cast<double>(lines));
            CHECK(exponent(w, 3, lines) == static_cast<std::int64_t>(std::max(0.0, formula)));
        }
    }
    CHECK_THROWS_AS(exponent(1, 1, 0), Error);
    CHECK_THROWS_AS(exponent(-1, 1, 4), Error);
}

TEST_CASE("a planted D is recovered, exactly without noise and nearly with it")
{
    for (const double d : {1.0, 1.07, 1.5, 3.0}) {
        CAPTURE(d);
        const ThrashDecay exact = fit_thrash_decay(planted_samples(d, 40, 0, 1), 1);
        CHECK(exact.d == Approx(d).epsilon(1e-12));
        CHECK(exact.held_out.worst < 1e-10);
        CHECK(exact.held_out.samples == 10);
        CHECK(exact.training.samples == 30);
        CHECK(fit_thrash_decay(planted_samples(d, 400, 0.1, 2), 1).d == Approx(d).epsilon(0.01));
    }
}

TEST_CASE("D by hand: nine times slower at exponent 2")
{
    const std::vector<ThrashSample> samples(8, ThrashSample{2, 9.0});
    CHECK(fit_thrash_decay(samples, 1).d == Approx(3));
    CHECK(fit_thrash_decay(samples, 1).slowdown(4) == Approx(81));
    CHECK(fit_thrash_decay(samples, 1).slowdown(0) == 1);
}

TEST_CASE("D is never below 1, and 1 where nothing thrashes")
{
    CHECK(fit_thrash_decay(planted_samples(0.8, 40, 0, 3), 1).d == 1);
    const ThrashDecay none =
        fit_thrash_decay(std::vector<ThrashSample>(10, ThrashSample{0, 1.25}), 1);
    CHECK(none.d == 1);
    CHECK(none.held_out.mape == Approx(0.2)); // 1 instead of 1.25
}

TEST_CASE("the fit of D refuses too few or senseless samples")
{
    CHECK_THROWS_AS(fit_thrash_decay(planted_samples(2, 3, 0, 1), 1), Error);
    CHECK_NOTHROW(fit_thrash_decay(planted_samples(2, 4, 0, 1), 1));
    std::vector<ThrashSample> bad(8, ThrashSample{1, 2});
    bad[4].slowdown = 0;
    CHECK_THROWS_WITH(fit_thrash_decay(bad, 1), Catch::Contains("thrash sample 4"));
    bad[4] = {-1, 1};
    CHECK_THROWS_AS(fit_thrash_decay(bad, 1), Error);
}
