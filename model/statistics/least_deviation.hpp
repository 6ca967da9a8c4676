#pragma once

#include "base/layers.hpp"

#include <span>
#include <utility>
#include <vector>

namespace texelscope::model {

/// The least value that, with all smaller ones, has a share of the weight; share 0.5 is the
/// weighted median, which makes the weighted sum of distances least. Pairs of value and weight, in
/// any order; weights are positive. 0 where there are none.
[[nodiscard]] double weighted_quantile(std::vector<std::pair<double, double>> value_and_weight,
                                       double share);

/// The constant c >= 0 of least sum of |(judged + c) / measured - 1|: what every measured time has
/// in addition. The lists are of one length and not empty; measured times are positive.
[[nodiscard]] double added_constant(std::span<const double> judged,
                                    std::span<const double> measured);

/// The factor f of least sum of |f * judged / measured - 1|, for judges without a unit. All numbers
/// are positive.
[[nodiscard]] double fitted_factor(std::span<const double> judged,
                                   std::span<const double> measured);

} // namespace texelscope::model
