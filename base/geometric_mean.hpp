#pragma once

#include "base/layers.hpp"

#include <span>

namespace texelscope::base {

/// Geometric mean; 0 of nothing. Values are positive.
[[nodiscard]] double geometric_mean(std::span<const double> values);

} // namespace texelscope::base
