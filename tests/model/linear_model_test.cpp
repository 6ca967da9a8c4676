#include "base/error.hpp"
#include "base/random.hpp"
#include "model/statistics/fit_error.hpp"
#include "model/tmmodel/linear_model.hpp"
#include "walk_samples.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

using namespace texelscope::model;
using namespace texelscope::test;

namespace {

/// <beta, H> / n by a plain loop, with weights that grow with the block and an access that costs 50
/// ns.
double planted(const CrossBlockHistogram& histogram)
{
    double sum = 50.0 * static_cast<double>(histogram.accesses);
    for (const CrossBlockHistogram::Bin& bin : histogram.bins) {
        sum += 2.0 * bin.block.width * static_cast<double>(bin.x) +
               3.0 * bin.block.height * static_cast<double>(bin.y);
    }
    return sum / static_cast<double>(histogram.accesses);
}

} // namespace

TEST_CASE("a planted beta is recovered where the shapes can be told apart")
{
    const std::vector<Extent2D> squares{{1, 1}, {2, 2}, {4, 4}, {8, 8}};
    std::mt19937_64 random(21);
    const std::vector<WalkSample> samples = walk_samples(random, 120, planted, squares);
    for (const Regression regression : {Regression::least_squares, Regression::non_negative}) {
        CAPTURE(to_string(regression));
        const LinearModel model = fit_linear_model(samples, regression, 1);
        CHECK(model.shapes == squares);
        const std::vector<double> expected{2, 3, 4, 6, 8, 12, 16, 24, 50};
        REQUIRE(model.beta.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            CHECK(model.beta[i] == Approx(expected[i]).epsilon(1e-7));
        }
        CHECK(model.held_out.worst < 1e-9);
        CHECK(model.held_out.r2 == Approx(1));
        CHECK(model.held_out.samples == 30);
        CHECK(model.training.samples == 90);
    }
}

TEST_CASE("with the default shapes, whose bins repeat, new walks are still predicted exactly")
{
    std::mt19937_64 random(22);
    const std::vector<WalkSample> samples = walk_samples(random, 150, planted);
    const std::vector<WalkSample> further = walk_samples(random, 50, planted);
    for (const Regression regression : all_regressions) {
        CAPTURE(to_string(regression));
        const LinearModel model = fit_linear_model(samples, regression, 3);
        // the least penalty still shrinks
        const double tolerance = regression == Regression::ridge ? 1e-3 : 1e-8;
        CHECK(model.held_out.worst < tolerance);
        for (const WalkSample& walk : further) {
            const auto accesses = static_cast<double>(walk.histogram.accesses);
            CHECK(model.predict(walk.histogram).value ==
                  Approx(walk.per_access.value * accesses).epsilon(tolerance));
        }
    }
}

TEST_CASE("prediction is the dot product, by hand")
{
    LinearModel model;
    model.shapes = {{1, 1}, {4, 2}};
    model.beta = {1, 10, 100, 1000, 7};
    const CrossBlockHistogram histogram{{{{1, 1}, 5, 4}, {{4, 2}, 3, 2}}, 6};
    CHECK(model.predict(histogram).value == Approx(5 + 40 + 300 + 2000 + 42));
    CHECK_THROWS_AS(model.predict({{{{1, 1}, 5, 4}}, 6}), Error);
    CHECK_THROWS_AS(model.predict({{{{1, 1}, 5, 4}, {{2, 4}, 3, 2}}, 6}), Error);
}

TEST_CASE("the held-out samples do not touch the fit")
{
    std::mt19937_64 random(23);
    std::vector<WalkSample> samples =
        walk_samples(random, 80, [&](const CrossBlockHistogram& histogram) {
            return planted(histogram) * (0.9 + 0.2 * uniform_real(random));
        });
    const LinearModel before = fit_linear_model(samples, 4);
    for (const std::size_t i : hold_out_quarter(samples.size(), 4).held_out) {
        samples[i].per_access.value *= 3;
    }
    const LinearModel after = fit_linear_model(samples, 4);
    CHECK(after.beta == before.beta);
    CHECK(after.regression == before.regression);
    CHECK(after.training.mape == before.training.mape);
    CHECK(after.held_out.mape > 0.5);
}

TEST_CASE(
    "the choice has the least cross-validated error of the three, and is that regression's own fit")
{
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const std::vector<WalkSample> samples =
            walk_samples(random, 60, [&](const CrossBlockHistogram& histogram) {
                return planted(histogram) * (0.8 + 0.4 * uniform_real(random));
            });
        const LinearModel chosen = fit_linear_model(samples, seed);
        REQUIRE(chosen.cross_validation.size() == all_regressions.size());
        for (const LinearModel::CrossValidation& tried : chosen.cross_validation) {
            const LinearModel alone = fit_linear_model(samples, tried.regression, seed);
            REQUIRE(alone.cross_validation.size() == 1);
            CHECK(alone.cross_validation.front().error.mape == tried.error.mape);
            CHECK(tried.error.samples == 45);
            if (tried.regression == chosen.regression) {
                CHECK(alone.beta == chosen.beta);
            }
        }
        const auto best = std::min_element(
            chosen.cross_validation.begin(), chosen.cross_validation.end(),
            [](const auto& a, const auto& b) { return a.error.mape < b.error.mape; });
        CHECK(chosen.regression == best->regression);
    }
}

TEST_CASE("cross-validation predicts what a fit has not seen")
{
    // Times at random, fewer samples than features: least squares reproduces what it is fitted to
    // and predicts nothing.
    std::mt19937_64 random(26);
    const std::vector<WalkSample> samples = walk_samples(
        random, 8, [&](const CrossBlockHistogram&) { return 50 + 100 * uniform_real(random); });
    const LinearModel model = fit_linear_model(samples, Regression::least_squares, 1);
    CHECK(model.training.mape < 1e-6);
    CHECK(model.cross_validation.front().error.mape > 0.1);
    CHECK(model.held_out.mape > 0.1);
}

TEST_CASE("non-negative fits have no negative weight where least squares has some")
{
    std::mt19937_64 random(24);
    const std::vector<WalkSample> samples =
        walk_samples(random, 60, [&](const CrossBlockHistogram& histogram) {
            return planted(histogram) * (0.6 + 0.8 * uniform_real(random));
        });
    const auto least = [&](Regression regression) {
        const LinearModel model = fit_linear_model(samples, regression, 1);
        return *std::min_element(model.beta.begin(), model.beta.end());
    };
    CHECK(least(Regression::least_squares) < 0);
    CHECK(least(Regression::non_negative) >= 0);
}

TEST_CASE(
    "a fit refuses too few samples, mixed shapes, times that are not positive and empty histograms")
{
    std::mt19937_64 random(25);
    const std::vector<WalkSample> good = walk_samples(random, 8, planted);
    CHECK_NOTHROW(fit_linear_model(good, 1));
    CHECK_THROWS_WITH(fit_linear_model({good.begin(), good.begin() + 7}, 1),
                      Catch::Contains("7 samples are too few"));
    std::vector<WalkSample> bad = good;
    bad[5].per_access.value = 0;
    CHECK_THROWS_WITH(fit_linear_model(bad, 1), Catch::Contains("sample 5"));
    bad = good;
    bad[3].histogram.bins.pop_back();
    CHECK_THROWS_WITH(fit_linear_model(bad, 1), Catch::Contains("sample 3"));
    bad = good;
    bad[2].histogram.accesses = 0;
    CHECK_THROWS_AS(fit_linear_model(bad, 1), Error);
}

TEST_CASE("names of the regressions read back")
{
    for (const Regression regression : all_regressions) {
        CHECK(parse_regression(to_string(regression)) == regression);
    }
    CHECK_THROWS_AS(parse_regression("lasso"), Error);
}

TEST_CASE("a held-out time does not know the time that it is held against")
{
    std::mt19937_64 random(24);
    std::vector<WalkSample> samples = walk_samples(random, 43, planted);
    for (const Regression regression : all_regressions) {
        CAPTURE(to_string(regression));
        const std::vector<Nanoseconds> before = held_out_times(samples, regression, 1);
        REQUIRE(before.size() == samples.size());
        for (const std::size_t changed : {std::size_t{0}, std::size_t{20}, std::size_t{42}}) {
            std::vector<WalkSample> other = samples;
            other[changed].per_access = Nanoseconds{10'000};
            const std::vector<Nanoseconds> after = held_out_times(other, regression, 1);
            CHECK(after[changed] == before[changed]);
            // Its fold, a quarter of the samples, is predicted by the one fit that has not seen it;
            // all others have.
            const auto same =
                std::inner_product(after.begin(), after.end(), before.begin(), 0, std::plus<>(),
                                   [](Nanoseconds a, Nanoseconds b) { return a == b ? 1 : 0; });
            CHECK((same == 10 || same == 11));
        }
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
        CHECK(held_out_times(samples, Regression::least_squares, 1)[i].value ==
              Approx(samples[i].per_access.value).epsilon(0.01)); // planted without noise
    }
    samples.resize(7);
    CHECK_THROWS_AS(held_out_times(samples, Regression::ridge, 1), Error);
}
