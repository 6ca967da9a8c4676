#pragma once

#include <span>

namespace texelscope {

/// Geometric mean; 0 of nothing. Values are positive.
[[nodiscard]] double geometric_mean(std::span<const double> values);

} // namespace texelscope
