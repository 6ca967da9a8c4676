#pragma once

#include "base/layers.hpp"

#include <bit>
#include <compare>
#include <cstdint>

namespace texelscope::base {

/// A number whose unit is part of its type, so that bytes cannot be added to cycles. Sums and
/// differences keep the unit; scaling by a plain number does too; a ratio is a plain number.
template <class Unit, class Rep>
struct Quantity {
    using rep = Rep;

    Rep value{};

    constexpr auto operator<=>(const Quantity&) const = default;

    constexpr Quantity& operator+=(Quantity other)
    {
        value += other.value;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity other)
    {
        value -= other.value;
        return *this;
    }
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
    friend constexpr Quantity operator*(Quantity a, Rep factor) { return {a.value * factor}; }
    friend constexpr Quantity operator*(Rep factor, Quantity a) { return {a.value * factor}; }
    friend constexpr Rep operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

using Bytes = Quantity<struct BytesUnit, std::int64_t>;
using Cycles = Quantity<struct CyclesUnit, std::int64_t>;
using Nanoseconds = Quantity<struct NanosecondsUnit, double>;

/// log2 of a power of two.
[[nodiscard]] constexpr int log2_of(std::int32_t power)
{
    return std::countr_zero(static_cast<std::uint32_t>(power));
}

} // namespace texelscope::base
