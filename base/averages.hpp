#pragma once

#include "base/layers.hpp"

#include <span>
#include <vector>

namespace texelscope::base {

/// The middle value; the mean of the two middle values where their number is even. NaN where there
/// are no values.
[[nodiscard]] double median(std::vector<double> values);

/// The quantile for a `share` in [0, 1], with linear interpolation between two ranks. NaN where
/// there are no values.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// The geometric mean of positive values; 0 where there are none.
[[nodiscard]] double geometric_mean(std::span<const double> values);

} // namespace texelscope::base
