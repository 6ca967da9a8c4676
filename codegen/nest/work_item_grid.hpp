#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/schedule.hpp"

#include <array>
#include <cstdint>

namespace texelscope::codegen {

/// The part of a nest that does not depend on the operator. The outputs form a grid of tiles, one
/// for each work-item; the grid is cut into work-groups; and the warp shape renumbers the
/// work-items inside of their group, so that a warp covers a compact block of tiles.
struct WorkItemGrid {
    Dim3 groups{1, 1, 1}; ///< of the launch: its axes are those of the grid in the order N
    std::vector<LoopNest::Named> names;
    std::vector<Guard> guards;
    Dim3 local{1, 1, 1};           ///< as `groups`
    std::array<IndexExpr, 3> tile; ///< which output tile the work-item computes, along x, y, z
    /// which part of its tile's reduction the work-item takes, in [0, split)
    IndexExpr part;
};

/// Makes the grid for so many output tiles along x, y, z. Each work-item of a group gets one tile.
/// The items are numbered lx + bx*(ly + by*lz), where x, y, z here are the axes in the order N, and
/// the block of wx*wy consecutive numbers of a plane covers wx x wy tiles. Where a reduction is
/// split into parts, the group is repeated along the last axis, once for each part. Throws
/// bad_input where the warp shape does not tile the work-group.
[[nodiscard]] WorkItemGrid work_item_grid(const Schedule& schedule,
                                          std::array<std::int64_t, 3> tiles);

/// The grid of an operator whose output tiles lie in one row. A work-group takes as many
/// consecutive tiles as it has work-items, whatever its shape; tiles go to work-items in the order
/// of their numbers (x first, after the warp shape's remapping).
struct LinearGrid {
    WorkItemGrid grid; ///< names and guards are complete
    IndexExpr tile;    ///< number of the work-item's tile
    /// Number of the work-item among those of its group that take the same part of a reduction.
    IndexExpr home;
    std::int64_t items = 1; ///< work-items of a group that take the same part
};

/// Makes the grid for `tiles` tiles. `axis` is 0 where work-groups follow each other along x, 1
/// along y. Where the schedule splits the reduction, work-items meet at barriers, which all of a
/// group must reach: there is no guard then, and `tile` runs on to the end of the last group.
/// Throws bad_input where the warp shape does not tile the work-group.
[[nodiscard]] LinearGrid linear_grid(const Schedule& schedule, std::size_t axis,
                                     std::int64_t tiles);

} // namespace texelscope::codegen
