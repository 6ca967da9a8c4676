#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/schedule.hpp"

#include <array>
#include <cstdint>

namespace texelscope::codegen {

/// The part of a nest that does not depend on the operator: the grid of output tiles, one for each
/// work-item, cut into work-groups, and the warp shape's remapping of the work-items inside of
/// their group.
struct WorkItemGrid {
    Dim3 groups{1, 1, 1};
    std::vector<LoopNest::Named> names;
    std::vector<Guard> guards;
    Dim3 local{1, 1, 1};
    std::array<IndexExpr, 3> tile; ///< number of the work-item's output tile along x, y, z
    /// Which part of its tile's reduction the work-item takes, in [0, split).
    IndexExpr part;
};

/// `tiles`: output tiles along x, y, z. A work-group gives each of its work-items one tile; the
/// items are numbered lx + bx*(ly + by*lz), and the block of wx*wy consecutive numbers of a plane
/// covers wx x wy tiles. Where a reduction is split, the group has a copy of itself along z for
/// each part. Throws bad_input where the warp shape does not tile the work-group.
[[nodiscard]] WorkItemGrid work_item_grid(const Schedule& schedule,
                                          std::array<std::int64_t, 3> tiles);

/// The grid of an operator whose output tiles lie in one row: a work-group takes as many
/// consecutive tiles as it has work-items, in the order of those (x first, after the warp shape's
/// remapping), whatever its shape.
struct LinearGrid {
    WorkItemGrid grid; ///< names and guards are complete
    IndexExpr tile;    ///< number of the work-item's tile
    /// Number of the work-item in its group, among those that take the same part of a reduction.
    IndexExpr home;
    std::int64_t items = 1; ///< work-items of a group that take the same part
};

/// `axis`: 0 where work-groups follow each other along x, 1 along y. Where the schedule splits the
/// reduction, work-items meet at barriers, so that nobody may stay away: there is no guard, and
/// `tile` goes on to the end of the last group.
/// Throws bad_input where the warp shape does not tile the work-group.
[[nodiscard]] LinearGrid linear_grid(const Schedule& schedule, std::size_t axis,
                                     std::int64_t tiles);

} // namespace texelscope::codegen
