#include "base/error.hpp"
#include "base/random.hpp"
#include "model/statistics/gaussian_process.hpp"
#include "tests/model/random_matrix.hpp"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace texelscope::test {
using namespace model;

namespace {

/// The textbook's formula (Rasmussen and Williams, equations 2.23 and 2.24), by solving the whole
/// system of all observations.
struct Solved {
    Eigen::VectorXd expected;
    Eigen::MatrixXd covariance;
};

Solved solved(const Eigen::MatrixXd& places, const std::vector<Eigen::Index>& at,
              const Eigen::VectorXd& values, const GaussianProcessOptions& o)
{
    const auto covariance = [&](Eigen::Index i, Eigen::Index j) {
        const double a = std::sqrt(3.0) * (places.row(i) - places.row(j)).norm() / o.length;
        return o.mean * o.mean + o.deviation * o.deviation * (1 + a) * std::exp(-a);
    };
    const auto n = std::ssize(at);
    Eigen::MatrixXd all(places.rows(), places.rows());
    for (Eigen::Index i = 0; i < places.rows(); ++i) {
        for (Eigen::Index j = 0; j < places.rows(); ++j) {
            all(i, j) = covariance(i, j);
        }
    }
    Eigen::MatrixXd observed(n, n);
    Eigen::MatrixXd with(places.rows(), n);
    for (Eigen::Index i = 0; i < n; ++i) {
        for (Eigen::Index j = 0; j < n; ++j) {
            observed(i, j) =
                covariance(at[static_cast<std::size_t>(i)], at[static_cast<std::size_t>(j)]) +
                (i == j ? o.noise * o.noise : 0);
        }
        for (Eigen::Index p = 0; p < places.rows(); ++p) {
            with(p, i) = covariance(p, at[static_cast<std::size_t>(i)]);
        }
    }
    const Eigen::MatrixXd inverse = observed.inverse();
    return {with * inverse * values, all - with * inverse * with.transpose()};
}

} // namespace

TEST_CASE("observations one by one say what the whole system of equations says")
{
    std::mt19937_64 random(GENERATE(1U, 2U, 3U, 4U, 5U, 6U));
    const Eigen::Index count = 12;
    const Eigen::Index sides = GENERATE(1, 3);
    const Eigen::MatrixXd places = random_matrix(random, count, sides);
    const GaussianProcessOptions options{uniform_real(random) + 0.3, uniform_real(random) + 0.2,
                                         uniform_real(random) + 0.5,
                                         uniform_real(random) * 0.3 + 0.05};
    GaussianProcess process(places, options);
    std::vector<Eigen::Index> at;
    Eigen::VectorXd values(7);
    for (Eigen::Index i = 0; i < values.size(); ++i) {
        at.push_back(static_cast<Eigen::Index>(uniform_below(random, count))); // some twice
        values[i] = 4 * uniform_real(random) - 2;
        process.observe(at.back(), values[i]);
    }
    const Solved wanted = solved(places, at, values, options);
    for (Eigen::Index p = 0; p < count; ++p) {
        CHECK(process.expected()[p] == Approx(wanted.expected[p]).margin(1e-9));
        CHECK(process.deviation(p) / process.scale() ==
              Approx(std::sqrt(std::max(0.0, wanted.covariance(p, p)))).margin(1e-6));
    }
    // Each observation but for those before it, by the formula again.
    double surprise = 4;
    for (Eigen::Index i = 0; i < values.size(); ++i) {
        const std::vector<Eigen::Index> before(at.begin(), at.begin() + i);
        const Eigen::Index place = at[static_cast<std::size_t>(i)];
        const Solved known = solved(places, before, values.head(i), options);
        surprise += std::pow(values[i] - known.expected[place], 2) /
                    (known.covariance(place, place) + options.noise * options.noise);
    }
    CHECK(process.scale() ==
          Approx(std::sqrt(std::max(1.0, surprise / static_cast<double>(values.size() + 4)))));
    // What is only believed changes no expectation, and leaves less unknown.
    const Eigen::VectorXd before = process.expected();
    const double unknown = process.deviation(0);
    process.believe(0);
    CHECK((process.expected() - before).norm() < 1e-12);
    CHECK(process.deviation(0) < unknown);
}

TEST_CASE("without noise the process goes through what was observed, and nothing is unknown there")
{
    std::mt19937_64 random(7);
    const Eigen::MatrixXd places = random_matrix(random, 6, 2);
    GaussianProcess process(places, {.noise = 0});
    for (Eigen::Index p = 0; p < 6; ++p) {
        process.observe(p, static_cast<double>(p * p));
    }
    process.observe(3, 9);
    for (Eigen::Index p = 0; p < 6; ++p) {
        CHECK(process.expected()[p] == Approx(static_cast<double>(p * p)).margin(1e-6));
        CHECK(process.deviation(p) < 1e-5);
    }
}

TEST_CASE("the expected improvement is the mean of what is below the best")
{
    // By sums over the normal distribution.
    for (const auto& [best, expected, deviation] :
         {std::array{0.0, 0.0, 1.0}, {1.0, 1.5, 0.3}, {-2.0, -3.0, 2.0}, {0.0, 4.0, 0.5}}) {
        double sum = 0;
        double below = 0;
        constexpr int steps = 200'000;
        for (int i = 0; i < steps; ++i) {
            const double u = -10 + 20 * (i + 0.5) / steps;
            const double weight = std::exp(-u * u / 2) / std::sqrt(2 * M_PI) * 20 / steps;
            const double value = expected + deviation * u;
            sum += std::max(0.0, best - value) * weight;
            below += value < best ? weight : 0;
        }
        CHECK(expected_improvement(best, expected, deviation) == Approx(sum).margin(1e-6));
        CHECK(probability_below(best, expected, deviation) == Approx(below).margin(1e-4));
    }
    CHECK(expected_improvement(2, 1, 0) == 1);
    CHECK(expected_improvement(1, 2, 0) == 0);
    CHECK(probability_below(1, 2, 0) == 0);
    CHECK_THROWS_AS(GaussianProcess(Eigen::MatrixXd(1, 1), {.length = 0}), Error);
}

} // namespace texelscope::test
