#pragma once

#include "traces/image.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Where the lanes of a warp access read, relative to the first one.
struct LaneShape {
    std::vector<Texel> lanes;
    Texel min; ///< corner of the box around them
    Texel max; ///< its opposite corner, included

    /// Whether all lanes lie inside of an image when the first one is at that texel.
    [[nodiscard]] bool fits(Texel first, Extent2D extent) const
    {
        return first.x + min.x >= 0 && first.y + min.y >= 0 && first.x + max.x < extent.width &&
               first.y + max.y < extent.height;
    }
};

/// The different shapes of a launch, numbered.
class LaneShapes {
public:
    /// Number of the shape whose lanes read these columns and rows; there is at least one lane.
    int number(std::span<const std::int32_t> x, std::span<const std::int32_t> y);
    [[nodiscard]] const LaneShape& operator[](int shape) const { return shapes_[static_cast<std::size_t>(shape)]; }
    [[nodiscard]] int count() const { return static_cast<int>(shapes_.size()); }

private:
    std::map<std::vector<Texel>, int> numbers_;
    std::deque<LaneShape> shapes_; ///< grows without moving
};

} // namespace texelscope::sim
