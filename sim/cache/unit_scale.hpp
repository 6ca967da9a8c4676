#pragma once

#include "base/layers.hpp"

#include <bit>
#include <cstdint>
#include <numeric>

namespace texelscope::sim {

/// Converts numbers of units (lines, sectors) between two sizes: unit number n of `from_unit` bytes
/// becomes the number of the unit of `to_unit` bytes that holds its first byte.
class UnitScale {
public:
    UnitScale(std::int64_t from_unit, std::int64_t to_unit)
        : from_(from_unit / std::gcd(from_unit, to_unit)),
          to_(to_unit / std::gcd(from_unit, to_unit))
    {
        if (std::has_single_bit(static_cast<std::uint64_t>(to_))) {
            shift_ = std::countr_zero(static_cast<std::uint64_t>(to_));
        }
    }
    std::int64_t operator()(std::int64_t number) const
    {
        return shift_ >= 0 ? number * from_ >> shift_ : number * from_ / to_;
    }

private:
    std::int64_t from_;
    std::int64_t to_;
    int shift_ = -1; ///< log2(to_) where to_ is a power of two, else -1
};

} // namespace texelscope::sim
