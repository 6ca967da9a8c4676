#pragma once

#include "base/layers.hpp"

#include <vector>

namespace texelscope::base {

/// The middle value, the mean of the two middle ones of an even number; NaN of nothing.
[[nodiscard]] double median(std::vector<double> values);

} // namespace texelscope::base
