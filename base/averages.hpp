#pragma once

#include "base/layers.hpp"

#include <span>
#include <vector>

namespace texelscope::base {

/// The middle value, the mean of the two middle ones of an even number; NaN of nothing.
[[nodiscard]] double median(std::vector<double> values);

/// What that share of the values, in [0, 1], is not above: the value of that rank, between two
/// ranks their straight line; NaN of nothing.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// Geometric mean; 0 of nothing. Values are positive.
[[nodiscard]] double geometric_mean(std::span<const double> values);

} // namespace texelscope::base
