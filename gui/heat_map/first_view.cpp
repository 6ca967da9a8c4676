#include "gui/heat_map/first_view.hpp"

#include "gui/heat_map/heat_map_raster.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace texelscope::gui {
namespace {

/// Entropy as it is seen: a view has some hundred pixels a side, and shows the maximum where texels
/// are smaller. A comb of single texels is one colour then.
double seen_entropy(const HeatMap& map)
{
    constexpr std::int64_t seen_cells = 1 << 18;
    if (map.extent.area() <= seen_cells) {
        return entropy(map);
    }
    HeatMap seen = MaxPyramid::halved(map);
    while (seen.extent.area() > seen_cells) {
        seen = MaxPyramid::halved(seen);
    }
    return entropy(seen);
}

/// Whether a kind of misses is a small part of them, which is no place to begin.
bool is_minor(const StudyImage& image, HeatQuantity quantity)
{
    constexpr double minor = 0.1;
    const bool kind = quantity == HeatQuantity::compulsory || quantity == HeatQuantity::capacity ||
                      quantity == HeatQuantity::conflict;
    return kind && static_cast<double>(image.map(quantity).total()) <
                       minor * static_cast<double>(image.map(HeatQuantity::misses).total());
}

} // namespace

// Entropy of the values over the texels, in bits: 0 where all are the same, large where a map has
// much to show.
double entropy(const HeatMap& map)
{
    std::unordered_map<std::int64_t, std::int64_t> texels_with;
    for (const std::int64_t value : map.counts) {
        ++texels_with[value];
    }
    double bits = 0;
    for (const auto& [value, texels] : texels_with) {
        const double share = static_cast<double>(texels) / static_cast<double>(map.counts.size());
        bits -= share * std::log2(share);
    }
    return std::max(0.0, bits); // no -0
}

// Takes the first image with something to see, and of it the counted quantity that varies the most.
FirstView first_view(const LaunchResult& launch)
{
    constexpr double seen_to_vary = 0.1; // bits; less is a few texels among many
    FirstView best;
    double most = 0;
    for (std::size_t image = 0; image < launch.images.size() && most < seen_to_vary; ++image) {
        for (const HeatChoice choice : all_heat_choices) {
            const std::optional<HeatQuantity> quantity = counted(choice);
            const bool counts = quantity && !is_minor(launch.images[image], *quantity);
            const double bits = counts ? seen_entropy(launch.images[image].map(*quantity)) : 0;
            constexpr double rounding = 1e-9; // equal shares may be summed in another order
            if (bits > most + rounding) {
                most = bits;
                best = {image, choice};
            }
        }
    }
    return best;
}

} // namespace texelscope::gui
