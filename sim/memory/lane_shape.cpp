#include "sim/memory/lane_shape.hpp"

#include <algorithm>

namespace texelscope::sim {

int LaneShapes::number(std::span<const std::int32_t> x, std::span<const std::int32_t> y)
{
    std::vector<Texel> lanes(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        lanes[i] = {x[i] - x[0], y[i] - y[0]};
    }
    const auto [place, is_new] = numbers_.try_emplace(lanes, count());
    if (is_new) {
        LaneShape shape{std::move(lanes), {}, {}};
        for (const Texel lane : shape.lanes) {
            shape.min = {std::min(shape.min.x, lane.x), std::min(shape.min.y, lane.y)};
            shape.max = {std::max(shape.max.x, lane.x), std::max(shape.max.y, lane.y)};
        }
        shapes_.push_back(std::move(shape));
    }
    return place->second;
}

} // namespace texelscope::sim
