#include "codegen/nest/work_item_grid.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <fmt/format.h>

#include <limits>

namespace texelscope::codegen {

WorkItemGrid work_item_grid(const Schedule& schedule, std::array<std::int64_t, 3> tiles)
{
    // Everything here is in the order of the launch's axes; `axes` says which of x, y, z they are.
    const std::array<std::size_t, 3> axes = axes_of(schedule.numbering);
    const auto [bx, by, bz] = schedule.launched_group();
    const auto [wx, wy] = schedule.warp;
    if (bx % wx != 0 || by % wy != 0) {
        throw bad_input(
            fmt::format("the warp shape {}x{} does not tile the work-group {}x{}", wx, wy, bx, by),
            "configuration '" + to_string(schedule) + "'",
            "make W's sides divide G's (along the first two axes of N), or leave W out");
    }
    WorkItemGrid grid;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::int64_t groups = ceil_div(tiles[axes[i]], schedule.group[axes[i]]);
        if (groups > std::numeric_limits<std::int32_t>::max()) {
            throw bad_input(fmt::format("{} work-groups are too many", groups),
                            "configuration '" + to_string(schedule) + "'",
                            "use a larger tile or work-group");
        }
        grid.groups[i] = static_cast<std::int32_t>(groups);
    }
    grid.local = {bx, by, bz * schedule.split};
    const auto v = work_item_variables(grid.groups, grid.local);
    const IndexExpr lx(v[0]);
    const IndexExpr ly(v[1]);
    const IndexExpr lz = mod(IndexExpr(v[2]), bz);

    // The remapping: numbers in a plane, p = lx + bx*ly, are taken wx*wy at a time, and each such
    // block of consecutive numbers covers wx x wy tiles of the group.
    const IndexExpr p = lx + bx * ly;
    const IndexExpr block = floor_div(p, std::int64_t{wx} * wy);
    const IndexExpr lane = mod(p, std::int64_t{wx} * wy);
    const std::array<IndexExpr, 3> in_group{mod(block, bx / wx) * wx + mod(lane, wx),
                                            floor_div(block, bx / wx) * wy + floor_div(lane, wx),
                                            lz};
    constexpr std::array names{"tile_x", "tile_y", "tile_z"};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t axis = axes[i];
        const IndexExpr tile = IndexExpr(v[3 + i]) * schedule.group[axis] + in_group[i];
        if (tile.is_constant() && tile.constant() < tiles[axis]) {
            grid.tile[axis] = tile;
            continue;
        }
        // After the guard the number is below the count of tiles. Bounds of later expressions rely
        // on that.
        const Variable unguarded{LoopNest::first_named_slot + static_cast<int>(axis), names[axis],
                                 tile.bounds()};
        if (tile.bounds().max >= tiles[axis]) {
            grid.guards.push_back({IndexExpr(unguarded), tiles[axis]});
        }
        Variable variable = unguarded;
        variable.range.max = std::min(variable.range.max, tiles[axis] - 1);
        grid.names.push_back({variable, tile});
        grid.tile[axis] = IndexExpr(variable);
    }
    if (schedule.split > 1) {
        const IndexExpr part = floor_div(IndexExpr(v[2]), bz);
        const Variable variable{LoopNest::first_named_slot + 3, "part", part.bounds()};
        grid.names.push_back({variable, part});
        grid.part = IndexExpr(variable);
    }
    return grid;
}

LinearGrid linear_grid(const Schedule& schedule, std::size_t axis, std::int64_t tiles)
{
    // The slots before it belong to the grid.
    constexpr int home_slot = LoopNest::first_named_slot + 4;
    constexpr int tile_slot = LoopNest::first_named_slot + 5;
    const Dim3& group = schedule.group;
    LinearGrid linear;
    linear.items = std::int64_t{group[0]} * group[1] * group[2];
    const bool one_axis = group[axis] == linear.items;
    const bool all_come = schedule.split > 1;
    const std::int64_t whole = ceil_div(tiles, linear.items) * group[axis];
    std::array<std::int64_t, 3> counts{group[0], group[1], group[2]};
    counts[axis] = one_axis && !all_come ? tiles : whole;
    linear.grid = work_item_grid(schedule, counts);

    // work_item_grid() numbers tiles in the group's shape. Where that is not one line along `axis`,
    // only its group number is used (floor_div below), and the number in the group is made anew.
    std::array<IndexExpr, 3> in_group = linear.grid.tile;
    in_group[axis] = mod(in_group[axis], group[axis]);
    if (all_come) {
        const auto ids = work_item_variables(linear.grid.groups, linear.grid.local);
        const IndexExpr home =
            IndexExpr(ids[0]) +
            group[0] * (IndexExpr(ids[1]) + group[1] * mod(IndexExpr(ids[2]), group[2]));
        if (!home.is_constant()) {
            const Variable variable{home_slot, "home", home.bounds()};
            linear.grid.names.push_back({variable, home});
            linear.home = IndexExpr(variable);
        }
    }
    if (one_axis) {
        linear.tile = linear.grid.tile[axis];
        return linear;
    }
    const IndexExpr tile = floor_div(linear.grid.tile[axis], group[axis]) * linear.items +
                           in_group[0] + group[0] * (in_group[1] + group[1] * in_group[2]);
    Variable variable{tile_slot, "tile", tile.bounds()};
    if (!all_come && variable.range.max >= tiles) {
        linear.grid.guards.push_back({IndexExpr(variable), tiles});
        variable.range.max = tiles - 1; // after the guard, see above
    }
    linear.grid.names.push_back({variable, tile});
    linear.tile = IndexExpr(variable);
    return linear;
}

} // namespace texelscope::codegen
