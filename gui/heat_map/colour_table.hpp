#pragma once

#include "gui/heat_map/heat_layer.hpp"
#include "sim/result/heat_map.hpp"

#include <QColor>
#include <array>
#include <cstdint>
#include <vector>

namespace texelscope::gui {

enum class ValueAxis {
    linear,
    logarithmic, ///< log(1 + value)
    percentile,  ///< by rank among the values that are not 0
};

/// Places of values between 0 and the largest: in [0, 1], never falling; those of negative values
/// by their magnitude.
class ValueScale {
public:
    ValueScale() = default;
    /// Ranks are of at most a million values, evenly spaced over the map.
    ValueScale(ValueAxis axis, const HeatMap& values);

    /// The same values on another axis.
    [[nodiscard]] ValueScale on(ValueAxis axis) const;

    [[nodiscard]] double position(std::int64_t value) const;
    /// The least magnitude above 0 whose position is at least that; the largest where there is
    /// none.
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

/// Values of a layer as colours: viridis over the range of the scale; of differences blue below and
/// orange above a neutral zero; of warps a few categories in turn. A colour outside of the map
/// where there is nothing.
class ColourTable {
public:
    ColourTable(HeatLayer::Kind kind, const ValueScale& scale, ColourRange range, QRgb untouched);

    [[nodiscard]] QRgb colour(std::int64_t value) const
    {
        if (value == 0 && kind_ != HeatLayer::Kind::difference) {
            return untouched_;
        }
        if (kind_ == HeatLayer::Kind::warps) {
            return of_warp(value);
        }
        const std::int64_t magnitude = value < 0 ? -value : value;
        const std::size_t step = step_of(magnitude);
        return value < 0 ? below_[step] : above_[step];
    }

private:
    static constexpr std::size_t steps = 256;

    /// Branchless search for the last of 256 thresholds that is not above the magnitude.
    [[nodiscard]] std::size_t step_of(std::int64_t magnitude) const
    {
        std::size_t step = 0;
        for (std::size_t half = steps / 2; half > 0; half /= 2) {
            step += thresholds_[step + half] <= magnitude ? half : 0;
        }
        return step;
    }
    [[nodiscard]] static QRgb of_warp(std::int64_t code);

    HeatLayer::Kind kind_;
    QRgb untouched_;
    std::array<std::int64_t, steps> thresholds_{}; ///< the least magnitude of each step
    std::array<QRgb, steps> above_{};
    std::array<QRgb, steps> below_{};
};

/// A place on the diverging map: blue at -1, almost white at 0, orange at 1 (ends by Okabe and Ito,
/// 2008).
[[nodiscard]] QRgb diverging_colour(double place);

} // namespace texelscope::gui
