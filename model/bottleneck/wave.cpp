#include "model/bottleneck/wave.hpp"

#include "sim/options/occupancy.hpp"
#include "traces/index/index_expr.hpp"

#include <algorithm>

namespace texelscope::model {
namespace {

/// The box of work-items that `count` groups span, which are taken in the order of their numbers
/// (along x, then the next rows): every group, or each `every`-th of them as one core of several
/// gets them.
WorkItems spread(const WorkItems& group, const WorkItems& groups, const WorkItems& tiles,
                 std::int64_t count, std::int64_t every)
{
    WorkItems items{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t along = std::min(count, ceil_div(groups[axis], every));
        every = ceil_div(every, groups[axis]);
        items[axis] = std::min(tiles[axis], along * group[axis]);
        count = ceil_div(count, groups[axis]);
    }
    return items;
}

/// The box of work-items that one warp covers. Work-items are numbered block by block of the warp
/// shape, so that a warp is a part of one block, row by row, if the block is larger than the warp;
/// else it is several blocks along x, then y, then z.
WorkItems items_of_warp(const WorkGrid& grid, const WorkItems& group, int warp_size)
{
    WorkItems items{std::min<std::int64_t>(grid.warp[0], warp_size), 1, 1};
    items[1] =
        std::min<std::int64_t>(grid.warp[1], std::max<std::int64_t>(1, warp_size / items[0]));
    std::int64_t blocks = warp_size / (items[0] * items[1]);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::int64_t along = std::min(blocks, ceil_div(group[axis], items[axis]));
        items[axis] *= along;
        blocks /= along;
    }
    items[2] = blocks;
    return items;
}

/// How a work-group lies in the grid.
struct Group {
    WorkItems items{1, 1, 1};  ///< work-items that one group covers
    WorkItems inside{1, 1, 1}; ///< the part of the first group that lies inside the grid
    WorkItems groups{1, 1, 1}; ///< groups of the launch along x, y, z
    std::int64_t count = 1;    ///< groups of the launch
    WorkItems warp{1, 1, 1};   ///< active work-items of a warp
    std::int64_t warps_in_row = 1;
    std::int64_t warps = 1; ///< warps of one group that read something
    std::int64_t lanes = 1; ///< as in Wave
    double layers = 1;
};

Group group_of(const WorkGrid& grid, int warp_size)
{
    Group group;
    if (grid.copied_by > 0) {
        group.groups = grid.tiles;
        group.count = grid.tiles[0] * grid.tiles[1] * grid.tiles[2];
        group.warps = ceil_div(grid.copied_by, warp_size);
        group.lanes = std::min<std::int64_t>(warp_size, grid.copied_by);
        group.layers = static_cast<double>(group.warps);
        return group;
    }
    const bool linear = grid.linear_axis >= 0;
    const auto axis_of_all = static_cast<std::size_t>(std::max(0, grid.linear_axis));
    group.items = grid.group;
    if (linear) {
        group.items = {1, 1, 1};
        group.items[axis_of_all] = grid.group[0] * grid.group[1] * grid.group[2];
    }
    // Work-items that share a tile come after those of all tiles of the group.
    const auto add_layers = [&](std::int64_t tiles) {
        group.lanes = std::clamp<std::int64_t>(warp_size / tiles, 1, grid.split);
        group.layers = static_cast<double>(ceil_div(grid.split, group.lanes));
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        group.inside[axis] = std::min(group.items[axis], grid.tiles[axis]);
        group.groups[axis] = ceil_div(grid.tiles[axis], group.items[axis]);
        group.count *= group.groups[axis];
    }
    if (linear) {
        const std::int64_t inside = group.inside[axis_of_all];
        group.warp[axis_of_all] = std::min<std::int64_t>(warp_size, inside);
        group.warps = ceil_div(inside * grid.split, warp_size);
        add_layers(group.items[axis_of_all]);
        return group;
    }
    const WorkItems block = items_of_warp(grid, group.items, warp_size);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        group.warp[axis] = std::min(block[axis], group.inside[axis]);
    }
    group.warps_in_row = ceil_div(group.inside[0], block[0]);
    // Work-items that share a tile are copies of the group along z.
    group.warps = group.warps_in_row * ceil_div(group.inside[1], block[1]) *
                  ceil_div(group.inside[2] * grid.split, block[2]);
    // Warps that go on from one row of blocks to the next are fewer.
    group.warps = std::min(group.warps,
                           ceil_div(group.items[0] * group.items[1] * group.items[2] * grid.split,
                                    std::int64_t{warp_size}));
    add_layers(group.items[0] * group.items[1] * group.items[2]);
    return group;
}

/// The box of work-items that the first warps of a group cover: whole rows of warps, where there
/// are several rows.
WorkItems first_warps(const Group& group, const WorkGrid& grid, std::int64_t warps)
{
    if (grid.linear_axis >= 0) {
        WorkItems items{1, 1, 1};
        const auto axis = static_cast<std::size_t>(grid.linear_axis);
        items[axis] = std::min(group.inside[axis], warps * group.warp[axis]);
        return items;
    }
    const std::int64_t in_row = std::min(group.warps_in_row, warps);
    return {std::min(group.inside[0], in_row * group.warp[0]),
            std::min(group.inside[1], ceil_div(warps, in_row) * group.warp[1]), group.inside[2]};
}

/// Most warps that a core holds of whole work-groups; of others where none fits.
std::int64_t most_warps(const Group& group, const SimulationOptions& options)
{
    const std::int64_t most = occupancy(options).warps;
    if (options.machine.group_schedule != GroupSchedule::whole || group.warps > most) {
        return most;
    }
    const std::int64_t fit = most / group.warps;
    return std::min<std::int64_t>(fit, options.machine.groups_per_core.value_or(fit)) * group.warps;
}

/// The members of a wave that follow from the others.
void complete(Wave& wave, const Group& group, const WorkGrid& grid)
{
    // The next wave lies along the first axis that this wave does not span.
    wave.next = 0;
    while (wave.next < 2 && wave.all[wave.next] >= grid.tiles[wave.next]) {
        ++wave.next;
    }
    // Of the resident warps of one group, `layers` at a time are at the same places of the grid;
    // the others are at places of their own.
    const auto of_group = static_cast<double>(std::min(group.warps, wave.warps));
    const double places = std::max(1.0, of_group / group.layers);
    wave.layers = of_group / places;
    wave.warps_of_row =
        grid.linear_axis >= 0 ? places : std::min(static_cast<double>(group.warps_in_row), places);
    wave.rows_of_group = places / wave.warps_of_row;
    wave.row =
        grid.linear_axis >= 0 ? wave.group : WorkItems{wave.group[0], wave.warp[1], wave.warp[2]};
    const double full =
        static_cast<double>(wave.warp[0] * wave.warp[1] * wave.warp[2] * wave.lanes);
    const double reading = static_cast<double>(
        grid.copied_by > 0 ? grid.copied_by
                           : group.inside[0] * group.inside[1] * group.inside[2] * grid.split);
    wave.filled = std::min(1.0, reading / (static_cast<double>(group.warps) * full));
}

} // namespace

Wave wave_of(const WorkGrid& grid, const SimulationOptions& options)
{
    const Group group = group_of(grid, options.machine.warp_size);
    const std::int64_t most = most_warps(group, options);
    const bool fits = group.warps <= occupancy(options).warps;
    const std::int64_t cores = std::min<std::int64_t>(options.machine.cores, group.count);
    const std::int64_t groups_of_core = ceil_div(group.count, options.machine.cores);
    const std::int64_t warps_of_core = groups_of_core * group.warps;
    const bool batch = options.machine.group_schedule == GroupSchedule::batch;
    Wave wave;
    wave.warp = group.warp;
    wave.group = group.inside;
    wave.group_warps = group.warps;
    wave.cores = static_cast<double>(cores);
    wave.lanes = group.lanes;
    if (fits || options.machine.group_schedule == GroupSchedule::refill) {
        // Whole groups are resident side by side, as many as fit. Refill has no whole groups: every
        // slot is taken. With `whole`, `most` already is a multiple of the group. Batch stops at
        // the last group that fits.
        const std::int64_t side_by_side = std::max<std::int64_t>(1, most / group.warps);
        const std::int64_t resident = std::min(side_by_side, groups_of_core);
        wave.warps =
            std::min({most, warps_of_core, std::max(resident * group.warps, batch ? 1 : most)});
        wave.waves = batch ? static_cast<double>(ceil_div(groups_of_core, side_by_side))
                           : static_cast<double>(warps_of_core) / static_cast<double>(wave.warps);
        wave.core = spread(group.items, group.groups, grid.tiles, resident, cores);
        wave.all = spread(group.items, group.groups, grid.tiles, resident * cores, 1);
    } else {
        // A group does not fit: it runs in equal parts, one after the other.
        const std::int64_t parts = ceil_div(group.warps, most);
        wave.warps = ceil_div(group.warps, parts);
        wave.waves = static_cast<double>(groups_of_core * parts);
        wave.core = wave.group = first_warps(group, grid, wave.warps);
        wave.all = spread(wave.core, group.groups, grid.tiles, cores, 1);
    }
    complete(wave, group, grid);
    return wave;
}

std::optional<Wave> last_wave_of(const WorkGrid& grid, const SimulationOptions& options)
{
    const Group group = group_of(grid, options.machine.warp_size);
    const std::int64_t most = most_warps(group, options);
    if (options.machine.group_schedule != GroupSchedule::batch) {
        return std::nullopt;
    }
    // Of a group that does not fit, a wave is a part, and the last group takes several.
    const std::int64_t side_by_side = std::max<std::int64_t>(1, most / group.warps);
    const std::int64_t all_cores = options.machine.cores;
    const std::int64_t groups_of_core = ceil_div(group.count, all_cores);
    const std::int64_t before = (groups_of_core - 1) / side_by_side;
    const std::int64_t left = group.count - before * side_by_side * all_cores;
    const std::int64_t busiest = groups_of_core - before * side_by_side;
    const std::int64_t cores = std::min(all_cores, group.count);
    const std::int64_t resident = std::min(side_by_side, groups_of_core);
    if (left == resident * cores) {
        return std::nullopt;
    }
    Wave wave = wave_of(grid, options);
    wave.cores = static_cast<double>(left) / static_cast<double>(busiest);
    if (group.warps <= most) {
        wave.waves = 1;
        wave.warps = busiest * group.warps;
        wave.core = spread(group.items, group.groups, grid.tiles, busiest, std::min(cores, left));
        wave.all = spread(group.items, group.groups, grid.tiles, left, 1);
    } else {
        wave.waves = static_cast<double>(ceil_div(group.warps, most));
        wave.all = spread(wave.core, group.groups, grid.tiles, left, 1);
    }
    complete(wave, group, grid);
    return wave;
}

} // namespace texelscope::model
