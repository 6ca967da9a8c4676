#pragma once

#include "base/layers.hpp"

#include <string>

namespace texelscope::experiments {

/// A linear axis from `low` to `high`, both multiples of `step`, that holds zero.
struct LinearAxis {
    double low = 0;
    double high = 1;
    double step = 1;
};
/// The axis for values in [low, high] with a tick at 1, 2 or 5 times a power of ten: as close as `steps` of them over
/// the range allow.
[[nodiscard]] LinearAxis linear_axis(double low, double high, int steps = 4);

/// A value as it stands beside an axis: six digits at most, "2e5" for what is very large or small.
[[nodiscard]] std::string tick_text(double value);

} // namespace texelscope::experiments
