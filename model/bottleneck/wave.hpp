#pragma once

#include "sim/options/options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace texelscope::model {

/// Numbers of work-items along x, y, z.
using WorkItems = std::array<std::int64_t, 3>;

/// The work-items of a launch as a grid of tiles, and how they are cut into work-groups and warps.
struct WorkGrid {
    WorkItems tiles{1, 1, 1}; ///< of the launch along x, y, z; `split` work-items share each
    WorkItems group{1, 1, 1};
    std::array<std::int64_t, 2> warp{1, 1};
    /// Axis along which a work-group takes consecutive tiles, whatever the shape of the group is.
    /// -1: a group covers a block of tiles of its own shape.
    int linear_axis = -1;
    std::int64_t split = 1; ///< work-items that share one tile
    /// Work-items of a group that copies blocks to local memory; `tiles` then counts groups. 0:
    /// groups copy nothing.
    std::int64_t copied_by = 0;
};

/// A wave is the set of warps that are resident on all cores at once; a launch is one wave after
/// the other. The members say how many warps that are, and which box of the grid of tiles they
/// cover at each level: warp, row of warps, work-group, core, all cores.
struct Wave {
    WorkItems warp{1, 1, 1}; ///< active work-items of one warp
    /// Work-items of those warps of one work-group that lie side by side along x.
    WorkItems row{1, 1, 1};
    WorkItems group{1, 1, 1};     ///< work-items of the resident warps of one work-group
    WorkItems core{1, 1, 1};      ///< work-items of the resident warps of one core
    WorkItems all{1, 1, 1};       ///< work-items of the resident warps of all cores
    std::int64_t warps = 1;       ///< resident warps of one core
    std::int64_t group_warps = 1; ///< warps of one work-group, resident or not
    double warps_of_row = 1;
    double rows_of_group = 1;
    double cores = 1;
    /// Work-items of one warp that are at the same place of the grid (ReadStream::Together).
    std::int64_t lanes = 1;
    double layers = 1; ///< resident warps of one group that are at the same places of the grid
    double waves = 1;
    /// Work-items that read in a warp, over those of a full one: the last warp of a group may be
    /// partly empty. It takes as long to issue as a full one.
    double filled = 1;
    std::size_t next = 0; ///< axis along which the next wave follows this one
};

/// How the device cuts a launch into waves. The registers and local memory that `options` says the
/// kernel takes limit the resident warps; the device's group schedule (Machine::group_schedule)
/// says which groups are resident together.
[[nodiscard]] Wave wave_of(const WorkGrid& grid, const SimulationOptions& options);

/// The last of the waves of wave_of(), where it has fewer work-groups than the others: the busiest
/// core has fewer, or some cores have fewer than that or none (Wave::cores is then no whole
/// number: that many times what the busiest core does is what all cores do). Nothing where it is
/// as full as the others, and by schedules that fill up warps as others end, which have no waves.
[[nodiscard]] std::optional<Wave> last_wave_of(const WorkGrid& grid,
                                               const SimulationOptions& options);

} // namespace texelscope::model
