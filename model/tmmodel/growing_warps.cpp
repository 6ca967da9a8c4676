#include "model/tmmodel/growing_warps.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <limits>

namespace texelscope::model {
namespace {

Extent2D image_extent(const StreamPattern& pattern, const StreamShape& shape)
{
    const std::int64_t k = pattern.block_rows;
    const std::int64_t width = k == 0 ? shape.max_lanes : (shape.max_steps + k - 1) / k;
    const std::int64_t height = k == 0 ? shape.max_steps : shape.max_lanes * k;
    if (width > std::numeric_limits<std::int32_t>::max() ||
        height > std::numeric_limits<std::int32_t>::max()) {
        throw bad_input("the image has a side of more than 2^31-1 texels", "growing warps",
                        "stream fewer texels");
    }
    return {static_cast<std::int32_t>(width), static_cast<std::int32_t>(height)};
}

} // namespace

std::vector<int> growing_widths(int warp_size)
{
    std::vector<int> widths;
    for (int power = 1; power < warp_size; power *= 2) {
        widths.push_back(power);
        if (power > 1 && power / 2 * 3 < warp_size) {
            widths.push_back(power / 2 * 3);
        }
    }
    widths.push_back(warp_size);
    return widths;
}

Launch growing_warp_launch(const StreamPattern& pattern, const StreamShape& shape)
{
    if (shape.lanes < 1 || shape.lanes > shape.max_lanes || shape.steps < 1 ||
        shape.steps > shape.max_steps) {
        throw bad_input("lanes or steps are not between 1 and their maximum", "growing warps");
    }
    Launch launch;
    launch.kernel = fmt::format("stream-{}-{}", pattern.name, shape.lanes);
    launch.local = {shape.lanes, 1, 1};
    launch.images.push_back({.name = "data",
                             .extent = image_extent(pattern, shape),
                             .bytes_per_texel = shape.bytes_per_texel});

    const IndexExpr t(work_item_variables(launch.groups, launch.local)[slots::local_x]);
    const Variable step{slots::first_loop_slot, "r", {0, shape.steps - 1}};
    const IndexExpr r(step);
    const int k = pattern.block_rows;
    AccessFunction access{.image = 0, .x = t, .y = r};
    if (k > 0) {
        access.x = floor_div(r, k);
        access.y = t * k + mod(r, k);
    }
    launch.body.emplace_back(Loop{.variable = step, .body = {access}});
    return launch;
}

} // namespace texelscope::model
