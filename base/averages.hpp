#pragma once

#include "base/layers.hpp"

#include <span>
#include <vector>

namespace texelscope::base {

/// The middle value, the mean of the two middle ones of an even number; NaN of nothing.
[[nodiscard]] double median(std::vector<double> values);

/// Geometric mean; 0 of nothing. Values are positive.
[[nodiscard]] double geometric_mean(std::span<const double> values);

} // namespace texelscope::base
