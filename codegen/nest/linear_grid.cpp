#include "codegen/nest/linear_grid.hpp"

namespace texelscope::codegen {

LinearGrid linear_grid(const Schedule& schedule, std::size_t axis, std::int64_t tiles)
{
    constexpr int home_slot = LoopNest::first_named_slot + 4; // those before are the grid's
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

    std::array<IndexExpr, 3> in_group = linear.grid.tile;
    in_group[axis] = mod(in_group[axis], group[axis]);
    if (all_come) {
        const auto ids = work_item_variables(linear.grid.groups, linear.grid.local);
        const IndexExpr home =
            IndexExpr(ids[0]) + group[0] * (IndexExpr(ids[1]) + group[1] * mod(IndexExpr(ids[2]), group[2]));
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
    const IndexExpr tile = floor_div(linear.grid.tile[axis], group[axis]) * linear.items + in_group[0] +
                           group[0] * (in_group[1] + group[1] * in_group[2]);
    Variable variable{tile_slot, "tile", tile.bounds()};
    if (!all_come && variable.range.max >= tiles) {
        linear.grid.guards.push_back({IndexExpr(variable), tiles});
        variable.range.max = tiles - 1; // what the guard promises
    }
    linear.grid.names.push_back({variable, tile});
    linear.tile = IndexExpr(variable);
    return linear;
}

} // namespace texelscope::codegen
