#include "gui/heat_map/colour_table.hpp"

#include "experiments/render/colour_map.hpp"
#include "gui/widgets/theme.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::gui {

ColourTable::ColourTable(HeatLayer::Kind kind, const ValueScale& scale, ColourRange range, QRgb untouched)
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
        above_[step] = kind == HeatLayer::Kind::difference ? diverging_colour(share) : qRgb(rgb[0], rgb[1], rgb[2]);
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
