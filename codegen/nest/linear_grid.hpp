#pragma once

#include "codegen/nest/schedule.hpp"
#include "codegen/nest/work_item_grid.hpp"

#include <cstdint>

namespace texelscope::codegen {

/// The grid of an operator whose output tiles lie in one row: a work-group takes as many consecutive tiles as it has
/// work-items, in the order of those (x first, after the warp shape's remapping), whatever its shape.
struct LinearGrid {
    WorkItemGrid grid; ///< names and guards are complete
    IndexExpr tile;    ///< number of the work-item's tile
    IndexExpr home;    ///< number of the work-item in its group, among those that take the same part of a reduction
    std::int64_t items = 1; ///< work-items of a group that take the same part
};

/// `axis`: 0 where work-groups follow each other along x, 1 along y.
/// Where the schedule splits the reduction, work-items meet at barriers, so that nobody may stay away: there is no guard,
/// and `tile` goes on to the end of the last group.
/// Throws bad_input where the warp shape does not tile the work-group.
[[nodiscard]] LinearGrid linear_grid(const Schedule& schedule, std::size_t axis, std::int64_t tiles);

} // namespace texelscope::codegen
