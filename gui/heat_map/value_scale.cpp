#include "gui/heat_map/value_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace texelscope::gui {

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
        if (magnitude == max_ || sample_.empty()) { // which may be none of those that were looked at
            return 1;
        }
        const auto [first, last] = std::equal_range(sample_.begin(), sample_.end(), magnitude);
        // The middle of those that are equal to it.
        const auto rank = static_cast<double>((first - sample_.begin()) + (last - sample_.begin())) / 2;
        return rank / static_cast<double>(sample_.size());
    }
    }
    return 0;
}

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
        const auto next = std::upper_bound(sample_.begin() + static_cast<std::ptrdiff_t>(i), sample_.end(), sample_[i]);
        const auto bin = static_cast<std::size_t>(position(sample_[i]) * static_cast<double>(bins));
        const auto after = static_cast<std::size_t>(next - sample_.begin());
        counts[std::min(bin, bins - 1)] += static_cast<std::int64_t>(after - i);
        i = after;
    }
    return counts;
}

} // namespace texelscope::gui
