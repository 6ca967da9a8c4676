#pragma once

#include "base/layers.hpp"

#include <Eigen/Core>

namespace texelscope::model {

/// A beta >= 0 of least ||X beta - y||, by the active-set method of Lawson and Hanson (Solving
/// Least Squares Problems, chapter 23). It satisfies the Karush-Kuhn-Tucker conditions up to
/// rounding: with g = X^T (y - X beta), g_j = 0 where beta_j > 0 and g_j <= 0 where beta_j = 0. Of
/// columns that are equal, one carries the weight. Throws bad_input as least_squares() does.
[[nodiscard]] Eigen::VectorXd non_negative_least_squares(const Eigen::MatrixXd& features,
                                                         const Eigen::VectorXd& targets);

} // namespace texelscope::model
