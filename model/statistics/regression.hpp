#pragma once

#include "base/layers.hpp"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace texelscope::model {

// Linear regressions y = X beta. A row of X is one sample, a column one feature. Every function
// throws bad_input where X has no row or no column, y another length than X has rows, or a value is
// not finite.

/// The beta of least norm among those of least ||X beta - y||: columns may repeat or depend on each
/// other (the x-bins of the blocks 1x1 and 1x2 are always equal), and there may be fewer samples
/// than features. Complete orthogonal decomposition; a pivot below 1e-12 of the largest counts as
/// zero (rounding of equal columns leaves about 1e-15).
[[nodiscard]] Eigen::VectorXd least_squares(const Eigen::MatrixXd& features,
                                            const Eigen::VectorXd& targets);

/// Ridge regression for each of `penalties` (> 0). The last column is the intercept: it must be
/// constant and not zero, and it is not penalised. The others are centred and scaled to unit
/// variance (features that cross blocks seldom would else be shrunk more than others), so that with
/// z the standardised features and m the samples
///   gamma = argmin ||y - mean(y) - z gamma||^2 / m + penalty * ||gamma||^2.
/// The result is in terms of the features as given. A column without variance gets weight 0.
[[nodiscard]] std::vector<Eigen::VectorXd> ridge(const Eigen::MatrixXd& features,
                                                 const Eigen::VectorXd& targets,
                                                 std::span<const double> penalties);

/// Throws as said above.
void require_regression_input(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets);

} // namespace texelscope::model
