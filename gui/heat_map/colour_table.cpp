#include "gui/heat_map/colour_table.hpp"

#include "gui/widgets/theme.hpp"
#include "workbench/plots/colour_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace texelscope::gui {

// At most so many values are looked at, evenly chosen: scale and histogram need no more, and a
// large image has many millions.
ValueScale::ValueScale(ValueAxis axis, const HeatMap& values) : axis_(axis)
{
    constexpr std::size_t most = 1 << 20;
    for (const std::int64_t value : values.counts) {
        max_ = std::max(max_, std::abs(value));
    }
    const std::size_t step = values.counts.size() / most + 1;
    for (std::size_t i = 0; i < values.counts.size(); i += step) {
        if (values.counts[i] != 0) {
            sample_.push_back(std::abs(values.counts[i]));
        }
    }
    std::sort(sample_.begin(), sample_.end());
}

ValueScale ValueScale::on(ValueAxis axis) const
{
    ValueScale other = *this;
    other.axis_ = axis;
    return other;
}

double ValueScale::position(std::int64_t value) const
{
    const std::int64_t magnitude = std::min(std::abs(value), max_);
    if (magnitude == 0) {
        return 0;
    }
    switch (axis_) {
    case ValueAxis::linear:
        return static_cast<double>(magnitude) / static_cast<double>(max_);
    case ValueAxis::logarithmic:
        return std::log1p(static_cast<double>(magnitude)) / std::log1p(static_cast<double>(max_));
    case ValueAxis::percentile: {
        // The largest value may be none of those that were looked at.
        if (magnitude == max_ || sample_.empty()) {
            return 1;
        }
        const auto [first, last] = std::equal_range(sample_.begin(), sample_.end(), magnitude);
        // The middle of those that are equal to it.
        const auto rank =
            static_cast<double>((first - sample_.begin()) + (last - sample_.begin())) / 2;
        return rank / static_cast<double>(sample_.size());
    }
    }
    return 0;
}

// The least value whose position is `at` or more; there is no inverse of percentiles, so it is
// found by bisection.
std::int64_t ValueScale::value_from(double at) const
{
    std::int64_t low = 1; // position() never falls
    std::int64_t high = std::max<std::int64_t>(1, max_);
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (position(middle) >= at) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

std::vector<std::int64_t> ValueScale::histogram(std::size_t bins) const
{
    std::vector<std::int64_t> counts(bins, 0);
    for (std::size_t i = 0; i < sample_.size();) {
        const auto next = std::upper_bound(sample_.begin() + static_cast<std::ptrdiff_t>(i),
                                           sample_.end(), sample_[i]);
        const auto bin = static_cast<std::size_t>(position(sample_[i]) * static_cast<double>(bins));
        const auto after = static_cast<std::size_t>(next - sample_.begin());
        counts[std::min(bin, bins - 1)] += static_cast<std::int64_t>(after - i);
        i = after;
    }
    return counts;
}

// A table from values to colours: step s begins at thresholds_[s]. Looking a value up is much
// faster than working out its place on a logarithmic scale for each pixel.
ColourTable::ColourTable(HeatLayer::Kind kind, const ValueScale& scale, ColourRange range,
                         QRgb untouched)
    : kind_(kind), untouched_(untouched)
{
    for (std::size_t step = 0; step < steps; ++step) {
        const double share = static_cast<double>(step) / static_cast<double>(steps - 1);
        if (step > 0) {
            // Half a step below, so that each value has the colour that is nearest to its own.
            const double place = (static_cast<double>(step) - 0.5) / static_cast<double>(steps - 1);
            thresholds_[step] = scale.value_from(range.low + place * (range.high - range.low));
            if (scale.position(thresholds_[step]) < range.low + place * (range.high - range.low)) {
                thresholds_[step] = scale.max() + 1; // no value is as high
            }
        }
        const Rgb rgb = viridis(share);
        above_[step] = kind == HeatLayer::Kind::difference ? diverging_colour(share)
                                                           : qRgb(rgb[0], rgb[1], rgb[2]);
        below_[step] = diverging_colour(-share);
    }
}

QRgb ColourTable::of_warp(std::int64_t code)
{
    // Neighbours in a group, and the same warp of neighbouring groups, differ.
    const WarpNumber warp = WarpNumber::of(code);
    return category_colour(static_cast<std::size_t>(warp.warp + 3 * warp.group)).rgb();
}

QRgb diverging_colour(double place)
{
    constexpr std::array<double, 3> middle{250, 250, 250};
    constexpr std::array<double, 3> below{0, 90, 160};
    constexpr std::array<double, 3> above{200, 80, 0};
    const std::array<double, 3>& end = place < 0 ? below : above;
    // The square root parts small differences from none.
    const double share = std::sqrt(std::min(1.0, std::abs(place)));
    const auto channel = [&](std::size_t i) {
        return static_cast<int>(std::lround(middle[i] + (end[i] - middle[i]) * share));
    };
    return qRgb(channel(0), channel(1), channel(2));
}

} // namespace texelscope::gui
