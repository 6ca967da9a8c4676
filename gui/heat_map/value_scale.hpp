#pragma once

#include "sim/result/heat_map.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::gui {

enum class ValueAxis {
    linear,
    logarithmic, ///< log(1 + value)
    percentile,  ///< by rank among the values that are not 0
};

/// Places of values between 0 and the largest: in [0, 1], never falling; those of negative values by their magnitude.
class ValueScale {
public:
    ValueScale() = default;
    /// Ranks are of at most a million values, evenly spaced over the map.
    ValueScale(ValueAxis axis, const HeatMap& values);

    /// The same values on another axis.
    [[nodiscard]] ValueScale on(ValueAxis axis) const;

    [[nodiscard]] double position(std::int64_t value) const;
    /// The least magnitude above 0 whose position is at least that; the largest where there is none.
    [[nodiscard]] std::int64_t value_from(double position) const;
    [[nodiscard]] std::int64_t max() const { return max_; }
    [[nodiscard]] ValueAxis axis() const { return axis_; }

    /// Texels by position, in equal parts of [0, 1]; values of 0 are left out. Of the same million.
    [[nodiscard]] std::vector<std::int64_t> histogram(std::size_t bins) const;

private:
    ValueAxis axis_ = ValueAxis::linear;
    std::int64_t max_ = 0;
    std::vector<std::int64_t> sample_; ///< magnitudes above 0, ascending
};

/// The part of the positions that the colours are spread over.
struct ColourRange {
    double low = 0;
    double high = 1;

    [[nodiscard]] double share(double position) const
    {
        return high > low ? (position - low) / (high - low) : position >= high ? 1 : 0;
    }
    bool operator==(const ColourRange&) const = default;
};

} // namespace texelscope::gui
