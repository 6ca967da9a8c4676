#include "gui/heat_map/max_pyramid.hpp"

#include <algorithm>

namespace texelscope::gui {
namespace {

HeatMap halved(const HeatMap& map)
{
    HeatMap half{{(map.extent.width + 1) / 2, (map.extent.height + 1) / 2}, {}};
    half.counts.assign(static_cast<std::size_t>(half.extent.area()), 0);
    const auto width = static_cast<std::size_t>(map.extent.width);
    const auto half_width = static_cast<std::size_t>(half.extent.width);
    for (std::size_t y = 0; y < static_cast<std::size_t>(map.extent.height); ++y) {
        const std::int64_t* row = map.counts.data() + y * width;
        std::int64_t* into = half.counts.data() + y / 2 * half_width;
        for (std::size_t x = 0; x < width; ++x) {
            into[x / 2] = MaxPyramid::larger(into[x / 2], row[x]);
        }
    }
    return half;
}

} // namespace

MaxPyramid::MaxPyramid(HeatMap map)
{
    has_negative_ = std::any_of(map.counts.begin(), map.counts.end(), [](std::int64_t value) { return value < 0; });
    levels_.push_back(std::move(map));
    while (levels_.back().extent.width > 1 || levels_.back().extent.height > 1) {
        levels_.push_back(halved(levels_.back()));
    }
}

int MaxPyramid::level_for(double texels) const
{
    int level = 0;
    for (double cell = 2; cell <= texels && level + 1 < levels(); cell *= 2) {
        ++level;
    }
    return level;
}

} // namespace texelscope::gui
