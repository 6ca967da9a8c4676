#include "base/error.hpp"
#include "model/statistics/regression.hpp"
#include "random_matrix.hpp"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <limits>

using namespace texelscope::model;
using namespace texelscope::test;

namespace {

// NIST Statistical Reference Datasets, linear regression: Norris.dat (y, x), lower level of
// difficulty.
constexpr std::array<std::array<double, 2>, 36> norris{{
    {0.1, 0.2},     {338.8, 337.4}, {118.1, 118.2}, {888.0, 884.6}, {9.2, 10.1},    {228.1, 226.5},
    {668.5, 666.3}, {998.5, 996.3}, {449.1, 448.6}, {778.9, 777.0}, {559.2, 558.2}, {0.3, 0.4},
    {0.1, 0.6},     {778.1, 775.5}, {668.8, 666.9}, {339.3, 338.0}, {448.9, 447.5}, {10.8, 11.6},
    {557.7, 556.0}, {228.3, 228.1}, {998.0, 995.8}, {888.8, 887.6}, {119.6, 120.2}, {0.3, 0.3},
    {0.6, 0.3},     {557.6, 556.8}, {339.3, 339.1}, {888.0, 887.2}, {998.5, 999.0}, {778.9, 779.0},
    {10.2, 11.1},   {117.6, 118.3}, {228.9, 229.2}, {668.4, 669.1}, {449.2, 448.9}, {0.2, 0.5},
}};
constexpr std::array<double, 2> norris_certified{-0.262323073774029, 1.00211681802045};

// The same collection: Longley.dat (y, x1 .. x6), higher level of difficulty.
constexpr std::array<std::array<double, 7>, 16> longley{{
    {60323, 83.0, 234289, 2356, 1590, 107608, 1947},
    {61122, 88.5, 259426, 2325, 1456, 108632, 1948},
    {60171, 88.2, 258054, 3682, 1616, 109773, 1949},
    {61187, 89.5, 284599, 3351, 1650, 110929, 1950},
    {63221, 96.2, 328975, 2099, 3099, 112075, 1951},
    {63639, 98.1, 346999, 1932, 3594, 113270, 1952},
    {64989, 99.0, 365385, 1870, 3547, 115094, 1953},
    {63761, 100.0, 363112, 3578, 3350, 116219, 1954},
    {66019, 101.2, 397469, 2904, 3048, 117388, 1955},
    {67857, 104.6, 419180, 2822, 2857, 118734, 1956},
    {68169, 108.4, 442769, 2936, 2798, 120445, 1957},
    {66513, 110.8, 444546, 4681, 2637, 121950, 1958},
    {68655, 112.6, 482704, 3813, 2552, 123366, 1959},
    {69564, 114.2, 502601, 3931, 2514, 125368, 1960},
    {69331, 115.7, 518173, 4806, 2572, 127852, 1961},
    {70551, 116.9, 554894, 4007, 2827, 130081, 1962},
}};
constexpr std::array<double, 7> longley_certified{
    -3482258.63459582, 15.0618722713733,    -0.0358191792925910, -2.02022980381683,
    -1.03322686717359, -0.0511041056535807, 1829.15146461355};

struct Problem {
    Eigen::MatrixXd features;
    Eigen::VectorXd targets;
};

/// Intercept first, as the certified values are.
template <std::size_t Rows, std::size_t Columns>
Problem with_intercept(const std::array<std::array<double, Columns>, Rows>& data)
{
    Problem problem{Eigen::MatrixXd(Rows, Columns), Eigen::VectorXd(Rows)};
    for (std::size_t i = 0; i < Rows; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        problem.targets(row) = data[i][0];
        problem.features(row, 0) = 1;
        for (std::size_t j = 1; j < Columns; ++j) {
            problem.features(row, static_cast<Eigen::Index>(j)) = data[i][j];
        }
    }
    return problem;
}

/// The minimum-norm solution by another road: the pseudo-inverse from a singular value
/// decomposition.
Eigen::VectorXd by_pseudo_inverse(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets)
{
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(features,
                                                Eigen::ComputeThinU | Eigen::ComputeThinV);
    const double cut = 1e-10 * svd.singularValues()(0);
    const Eigen::VectorXd inverse =
        svd.singularValues().unaryExpr([&](double value) { return value > cut ? 1 / value : 0.0; });
    return svd.matrixV() * inverse.asDiagonal() * svd.matrixU().transpose() * targets;
}

} // namespace

TEST_CASE("least squares reproduces the certified values of NIST's Norris data")
{
    const Problem problem = with_intercept(norris);
    const Eigen::VectorXd beta = least_squares(problem.features, problem.targets);
    CHECK(beta(0) == Approx(norris_certified[0]).epsilon(1e-11));
    CHECK(beta(1) == Approx(norris_certified[1]).epsilon(1e-13));
    // Certified residual standard deviation, 34 degrees of freedom.
    const double squares = (problem.features * beta - problem.targets).squaredNorm();
    CHECK(std::sqrt(squares / 34) == Approx(0.884796396144373).epsilon(1e-12));
}

TEST_CASE(
    "least squares reproduces the certified values of NIST's Longley data, raw and badly scaled")
{
    const Problem problem = with_intercept(longley);
    const Eigen::VectorXd beta = least_squares(problem.features, problem.targets);
    for (std::size_t j = 0; j < longley_certified.size(); ++j) {
        CAPTURE(j);
        CHECK(beta(static_cast<Eigen::Index>(j)) == Approx(longley_certified[j]).epsilon(1e-7));
    }
}

TEST_CASE("of all solutions with dependent columns, least squares takes the one of least norm")
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const Eigen::MatrixXd base = random_matrix(random, 30, 5);
        Eigen::MatrixXd features(30, 9);
        features << base, base.col(0), base.col(0), base.col(2), base.col(1) + 2 * base.col(3);
        const Eigen::VectorXd targets = random_vector(random, 30);
        const Eigen::VectorXd beta = least_squares(features, targets);
        CHECK((beta - by_pseudo_inverse(features, targets)).norm() < 1e-10);
        CHECK(beta(0) == Approx(beta(5))); // equal columns share the weight evenly
        CHECK(beta(0) == Approx(beta(6)));
    }
}

TEST_CASE("with fewer samples than features, least squares interpolates at least norm")
{
    std::mt19937_64 random(4);
    const Eigen::MatrixXd features = random_matrix(random, 6, 11);
    const Eigen::VectorXd targets = random_vector(random, 6);
    const Eigen::VectorXd beta = least_squares(features, targets);
    CHECK((features * beta - targets).norm() < 1e-12);
    CHECK((beta - by_pseudo_inverse(features, targets)).norm() < 1e-12);
}

TEST_CASE("ridge solves the normal equations of the standardised problem")
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        Eigen::MatrixXd features(40, 5);
        features << random_matrix(random, 40, 3), Eigen::VectorXd::Constant(40, 0.25),
            Eigen::VectorXd::Ones(40);
        features.col(1) *= 1000;
        const Eigen::VectorXd targets = random_vector(random, 40).array() + 3;
        const std::array<double, 3> penalties{1e-3, 0.1, 10};
        const std::vector<Eigen::VectorXd> betas = ridge(features, targets, penalties);
        REQUIRE(betas.size() == 3);

        Eigen::MatrixXd z = features.leftCols(3).rowwise() - features.leftCols(3).colwise().mean();
        const Eigen::RowVectorXd deviation = (z.colwise().squaredNorm() / 40).cwiseSqrt();
        z = z.array().rowwise() / deviation.array();
        for (std::size_t p = 0; p < penalties.size(); ++p) {
            const Eigen::MatrixXd normal =
                z.transpose() * z / 40 + penalties[p] * Eigen::MatrixXd::Identity(3, 3);
            const Eigen::VectorXd gamma =
                normal.inverse() *
                (z.transpose() * (targets.array() - targets.mean()).matrix() / 40);
            const Eigen::VectorXd expected = (z * gamma).array() + targets.mean();
            CHECK((features * betas[p] - expected).norm() < 1e-10);
            CHECK(betas[p](3) == 0); // no variance
            CHECK(betas[p](1) == Approx(gamma(1) / deviation(1)));
        }
    }
}

TEST_CASE("ridge goes from least squares to the mean as the penalty grows")
{
    std::mt19937_64 random(9);
    Eigen::MatrixXd features(25, 4);
    features << random_matrix(random, 25, 3), Eigen::VectorXd::Ones(25);
    const Eigen::VectorXd targets = random_vector(random, 25);
    const std::array<double, 2> penalties{1e-14, 1e14};
    const std::vector<Eigen::VectorXd> betas = ridge(features, targets, penalties);
    CHECK((betas[0] - least_squares(features, targets)).norm() < 1e-10);
    CHECK(betas[1].head(3).norm() < 1e-12);
    CHECK(betas[1](3) == Approx(targets.mean()));

    const std::vector<Eigen::VectorXd> intercept_alone =
        ridge(Eigen::MatrixXd::Constant(25, 1, 2.0), targets, penalties);
    CHECK(intercept_alone[0](0) == Approx(targets.mean() / 2));
}

TEST_CASE("regressions refuse what they cannot fit")
{
    const Eigen::MatrixXd features = Eigen::MatrixXd::Ones(3, 2);
    const std::array<double, 1> penalty{1};
    CHECK_THROWS_AS(least_squares(features, Eigen::VectorXd::Ones(4)), Error);
    CHECK_THROWS_AS(least_squares(Eigen::MatrixXd(0, 2), Eigen::VectorXd(0)), Error);
    CHECK_THROWS_AS(least_squares(features, Eigen::VectorXd::Constant(3, std::nan(""))), Error);
    CHECK_THROWS_AS(
        least_squares(features * std::numeric_limits<double>::infinity(), Eigen::VectorXd::Ones(3)),
        Error);
    CHECK_THROWS_AS(ridge(features, Eigen::VectorXd::Ones(3), std::array<double, 1>{0}), Error);
    const Eigen::MatrixXd no_intercept{{1, 1}, {1, 2}};
    CHECK_THROWS_AS(ridge(no_intercept, Eigen::VectorXd::Ones(2), penalty), Error);
}
