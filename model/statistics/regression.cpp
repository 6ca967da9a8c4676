#include "model/statistics/regression.hpp"

#include "base/error.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <cmath>

namespace texelscope::model {

void require_regression_input(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets)
{
    if (features.rows() == 0 || features.cols() == 0) {
        throw bad_input("no samples or no features", "regression", "give at least one of each");
    }
    if (features.rows() != targets.size()) {
        throw bad_input("the number of targets is not that of the samples", "regression");
    }
    if (!features.allFinite() || !targets.allFinite()) {
        throw bad_input("a feature or a target is not a finite number", "regression");
    }
}

Eigen::VectorXd least_squares(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets)
{
    require_regression_input(features, targets);
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
    decomposition.setThreshold(1e-12);
    decomposition.compute(features);
    return decomposition.solve(targets);
}

std::vector<Eigen::VectorXd> ridge(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets,
                                   std::span<const double> penalties)
{
    require_regression_input(features, targets);
    const Eigen::Index last = features.cols() - 1;
    const double one = features(0, last);
    if (one == 0 || (features.col(last).array() != one).any()) {
        throw bad_input("the last feature is not constant", "ridge regression",
                        "put the intercept there");
    }
    const auto samples = static_cast<double>(features.rows());
    const Eigen::RowVectorXd mean = features.leftCols(last).colwise().mean();
    Eigen::MatrixXd standard = features.leftCols(last).rowwise() - mean;
    Eigen::VectorXd scale(last);
    for (Eigen::Index j = 0; j < last; ++j) {
        const double deviation = std::sqrt(standard.col(j).squaredNorm() / samples);
        // Centring a constant column leaves rounding, which must not be blown up to unit variance.
        scale(j) = deviation > 1e-12 * features.col(j).cwiseAbs().maxCoeff() ? 1 / deviation : 0.0;
        standard.col(j) *= scale(j);
    }
    const double target_mean = targets.mean();

    std::vector<Eigen::VectorXd> solutions;
    if (last == 0) {
        solutions.assign(penalties.size(), Eigen::VectorXd::Constant(1, target_mean / one));
        return solutions;
    }
    // With Z = U S V^T, gamma = V diag(S / (S^2 + m * penalty)) U^T (y - mean): one decomposition
    // serves all penalties. (BDCSVD takes half a minute to compile, and these matrices have some
    // dozens of columns.)
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(standard,
                                                Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::ArrayXd singular = svd.singularValues().array();
    const Eigen::ArrayXd projected =
        (svd.matrixU().transpose() * (targets.array() - target_mean).matrix()).array();
    for (const double penalty : penalties) {
        if (!(penalty > 0)) {
            throw bad_input("a penalty is not positive", "ridge regression");
        }
        const Eigen::ArrayXd shrunk =
            singular * projected / (singular.square() + samples * penalty);
        Eigen::VectorXd beta(last + 1);
        beta.head(last) = scale.cwiseProduct(svd.matrixV() * shrunk.matrix());
        beta(last) = (target_mean - mean.dot(beta.head(last))) / one;
        solutions.push_back(std::move(beta));
    }
    return solutions;
}

} // namespace texelscope::model
