#pragma once

#include "base/layers.hpp"

#include <cstdint>

namespace texelscope::base {

/// The nearest IEEE 754 half-precision number, ties to even; beyond the largest it is infinity. NaN
/// stays NaN.
[[nodiscard]] std::uint16_t half_bits(float value);

/// The value of a half-precision number; exact.
[[nodiscard]] float from_half_bits(std::uint16_t bits);

/// The value as it comes back after it was stored in half precision.
[[nodiscard]] inline float rounded_to_half(float value)
{
    return from_half_bits(half_bits(value));
}

} // namespace texelscope::base
