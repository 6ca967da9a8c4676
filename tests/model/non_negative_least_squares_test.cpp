#include "base/error.hpp"
#include "model/statistics/non_negative_least_squares.hpp"
#include "model/statistics/regression.hpp"
#include "random_matrix.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace texelscope::model;
using namespace texelscope::test;

namespace {

double residual(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets,
                const Eigen::VectorXd& beta)
{
    return (features * beta - targets).norm();
}

/// The least residual by brute force: least squares over every subset of columns that gets no
/// negative weight.
double best_residual(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets)
{
    double best = targets.norm(); // the empty subset
    for (unsigned subset = 1; subset < (1U << static_cast<unsigned>(features.cols())); ++subset) {
        std::vector<Eigen::Index> columns;
        for (Eigen::Index j = 0; j < features.cols(); ++j) {
            if ((subset >> static_cast<unsigned>(j) & 1U) != 0) {
                columns.push_back(j);
            }
        }
        const Eigen::MatrixXd chosen = features(Eigen::all, columns);
        const Eigen::VectorXd beta = least_squares(chosen, targets);
        if (beta.minCoeff() >= 0) {
            best = std::min(best, residual(chosen, targets, beta));
        }
    }
    return best;
}

void check_kkt(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets,
               const Eigen::VectorXd& beta)
{
    const Eigen::VectorXd gradient = features.transpose() * (targets - features * beta);
    const double rounding = 1e-10 * (1 + targets.norm()) * (1 + features.norm());
    for (Eigen::Index j = 0; j < beta.size(); ++j) {
        CAPTURE(j);
        CHECK(beta(j) >= 0);
        CHECK(gradient(j) <= rounding);
        if (beta(j) > 0) {
            CHECK(gradient(j) >= -rounding);
        }
    }
}

} // namespace

TEST_CASE(
    "non-negative least squares meets the KKT conditions and no subset of columns does better")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const auto rows = static_cast<Eigen::Index>(3 + uniform_below(random, 12));
        const auto columns = static_cast<Eigen::Index>(1 + uniform_below(random, 7));
        const Eigen::MatrixXd features = random_matrix(random, rows, columns);
        const Eigen::VectorXd targets = random_vector(random, rows);
        const Eigen::VectorXd beta = non_negative_least_squares(features, targets);
        check_kkt(features, targets, beta);
        CHECK(residual(features, targets, beta) ==
              Approx(best_residual(features, targets)).margin(1e-9));
    }
}

TEST_CASE("non-negative least squares bears repeated and dependent columns")
{
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const Eigen::MatrixXd base = random_matrix(random, 60, 8).cwiseAbs();
        Eigen::MatrixXd features(60, 24);
        features << base, base, base.rowwise().reverse();
        features.col(23) = base.col(0) + base.col(5);
        const Eigen::VectorXd targets = random_vector(random, 60).array() + 0.5;
        const Eigen::VectorXd beta = non_negative_least_squares(features, targets);
        check_kkt(features, targets, beta);
    }
}

TEST_CASE("non-negative least squares finds planted weights")
{
    std::mt19937_64 random(11);
    const Eigen::MatrixXd features = random_matrix(random, 50, 10);
    Eigen::VectorXd planted = random_vector(random, 10).cwiseMax(0.0);
    planted(3) = 40;
    CHECK((non_negative_least_squares(features, features * planted) - planted).norm() < 1e-9);
    CHECK(non_negative_least_squares(features, Eigen::VectorXd::Zero(50)).norm() == 0);
    CHECK(
        non_negative_least_squares(features.cwiseAbs(), Eigen::VectorXd::Constant(50, -1)).norm() ==
        0);
    CHECK_THROWS_AS(non_negative_least_squares(features, Eigen::VectorXd::Ones(3)), Error);
}
