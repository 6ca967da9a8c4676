#include "base/half.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace texelscope::base {

// IEEE 754 binary16: 1 sign bit, 5 exponent bits with bias 15, 10 fraction bits.

std::uint16_t half_bits(float value)
{
    const auto sign =
        static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U & 0x8000U);
    if (std::isnan(value)) {
        return static_cast<std::uint16_t>(sign | 0x7e00U);
    }
    const float magnitude = std::fabs(value);
    // halfway between the largest number, 65504, and the next power of two
    constexpr float too_large = 65520.0F;
    if (magnitude >= too_large) {
        return static_cast<std::uint16_t>(sign | 0x7c00U);
    }
    constexpr float smallest_normal = 0x1p-14F;
    // a multiple of 2^-24; a carry makes it the smallest normal number
    if (magnitude < smallest_normal) {
        return static_cast<std::uint16_t>(
            sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24F)));
    }
    int exponent = 0;
    // Lies in [0.5, 1).
    const float fraction = std::frexp(magnitude, &exponent);
    // Lies in [1024, 2048]: the hidden bit and ten of the fraction. The hidden bit adds 1 to the
    // exponent below, and a carry to 2048 adds another, so that rounding up to a power of two is
    // right.
    const auto scaled = static_cast<std::uint32_t>(std::nearbyint(fraction * 0x1p11F));
    return static_cast<std::uint16_t>(
        sign | ((static_cast<std::uint32_t>(exponent + 14 - 1) << 10U) + scaled));
}

float from_half_bits(std::uint16_t bits)
{
    const float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
    const int exponent = bits >> 10U & 0x1f;
    const int fraction = bits & 0x3ff;
    if (exponent == 0x1f) {
        return fraction != 0 ? std::numeric_limits<float>::quiet_NaN()
                             : sign * std::numeric_limits<float>::infinity();
    }
    return exponent == 0 ? sign * std::ldexp(static_cast<float>(fraction), -24)
                         : sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

} // namespace texelscope::base
