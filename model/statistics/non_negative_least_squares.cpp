#include "model/statistics/non_negative_least_squares.hpp"

#include "model/statistics/regression.hpp"

#include <algorithm>
#include <vector>

namespace texelscope::model {
namespace {

/// Least squares over the columns in `passive` alone, 0 elsewhere.
Eigen::VectorXd solve_passive(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets,
                              const std::vector<Eigen::Index>& passive)
{
    Eigen::VectorXd solution = Eigen::VectorXd::Zero(features.cols());
    if (!passive.empty()) {
        solution(passive) = least_squares(features(Eigen::all, passive), targets);
    }
    return solution;
}

/// The column outside of `passive` with the steepest descent, or -1 where none descends.
Eigen::Index steepest(const Eigen::VectorXd& gradient, const Eigen::VectorXd& tolerance,
                      const std::vector<Eigen::Index>& passive, const std::vector<bool>& refused)
{
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < gradient.size(); ++j) {
        const bool candidate = gradient(j) > tolerance(j) &&
                               !refused[static_cast<std::size_t>(j)] &&
                               std::find(passive.begin(), passive.end(), j) == passive.end();
        if (candidate && (best < 0 || gradient(j) > gradient(best))) {
            best = j;
        }
    }
    return best;
}

} // namespace

Eigen::VectorXd non_negative_least_squares(const Eigen::MatrixXd& features,
                                           const Eigen::VectorXd& targets)
{
    require_regression_input(features, targets);
    const Eigen::Index columns = features.cols();
    // A gradient is a product of a column and the residual; below this it is rounding.
    const Eigen::VectorXd tolerance =
        1e-12 * targets.norm() * features.colwise().norm().transpose();

    Eigen::VectorXd beta = Eigen::VectorXd::Zero(columns);
    std::vector<Eigen::Index> passive; // columns whose weight is free to be positive
    std::vector<bool> refused(static_cast<std::size_t>(columns), false);

    // Each outer step lowers the residual, so no passive set comes twice; the limit is for rounding
    // alone.
    for (Eigen::Index step = 0; step < 10 * columns; ++step) {
        const Eigen::VectorXd gradient = features.transpose() * (targets - features * beta);
        const Eigen::Index entering = steepest(gradient, tolerance, passive, refused);
        if (entering < 0) {
            break;
        }
        passive.push_back(entering);
        Eigen::VectorXd wanted = solve_passive(features, targets, passive);
        // a descent that was rounding only: pass over this column until something moves
        if (wanted(entering) <= 0) {
            passive.pop_back();
            refused[static_cast<std::size_t>(entering)] = true;
            continue;
        }
        refused.assign(refused.size(), false);
        while (true) {
            // Go from beta towards `wanted` until the first weight reaches zero.
            double reach = 1;
            Eigen::Index blocking = -1;
            for (const Eigen::Index j : passive) {
                if (wanted(j) <= 0 && beta(j) / (beta(j) - wanted(j)) < reach) {
                    reach = beta(j) / (beta(j) - wanted(j));
                    blocking = j;
                }
            }
            if (blocking < 0) {
                beta = wanted.cwiseMax(0.0);
                break;
            }
            beta += reach * (wanted - beta);
            beta(blocking) = 0;
            std::erase_if(passive, [&](Eigen::Index j) {
                const bool left = beta(j) <= 0;
                beta(j) = left ? 0.0 : beta(j);
                return left;
            });
            wanted = solve_passive(features, targets, passive);
        }
    }
    return beta;
}

} // namespace texelscope::model
