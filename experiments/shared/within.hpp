#pragma once

#include "base/layers.hpp"

#include <cmath>

namespace texelscope::experiments {

/// Whether a value is no further from the expected one than that share of it.
[[nodiscard]] inline bool within(double share, double value, double expected)
{
    return std::abs(value - expected) <= share * std::abs(expected);
}

/// Whether a value is at most `factor` times the expected one and at least 1 / `factor` of it. All
/// are positive.
[[nodiscard]] inline bool within_factor(double factor, double value, double expected)
{
    return value <= expected * factor && value >= expected / factor;
}

} // namespace texelscope::experiments
