#pragma once

#include "sim/options/options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace texelscope::model {

/// Numbers of work-items along x, y, z.
using WorkItems = std::array<std::int64_t, 3>;

/// Work-items side by side, and how they are cut.
struct WorkGrid {
    WorkItems tiles{1, 1, 1}; ///< work-items of the launch along x, y, z
    WorkItems group{1, 1, 1};
    std::array<std::int64_t, 2> warp{1, 1};
    /// Groups take consecutive work-items along this axis, whatever their shape; -1: they do not.
    int linear_axis = -1;
    std::int64_t split = 1; ///< work-items that share one tile
    /// Work-items of a group that copies blocks: the tiles are groups then; 0: none does.
    std::int64_t copied_by = 0;
};

/// The warps that run side by side: how a launch is cut, and what of it is resident at a time.
struct Wave {
    WorkItems warp{1, 1, 1}; ///< active work-items of one
    /// Those of the warps of a work-group that lie side by side along x.
    WorkItems row{1, 1, 1};
    WorkItems group{1, 1, 1};     ///< those of the warps of a work-group
    WorkItems core{1, 1, 1};      ///< those of a core
    WorkItems all{1, 1, 1};       ///< those of all cores
    std::int64_t warps = 1;       ///< of a core
    std::int64_t group_warps = 1; ///< of a work-group, resident or not
    double warps_of_row = 1;
    double rows_of_group = 1;
    double cores = 1;
    /// Of a warp: work-items that are not apart in the grid (ReadStream::Together).
    std::int64_t lanes = 1;
    double layers = 1; ///< warps of a group that differ in such work-items
    double waves = 1;
    double items = 1;     ///< work-items of the launch, those outside the grid as well
    std::size_t next = 0; ///< axis along which the next wave lies
};

/// `options`: of the kernel (registers, local memory); its group schedule says which groups are
/// resident together.
[[nodiscard]] Wave wave_of(const WorkGrid& grid, const SimulationOptions& options);

} // namespace texelscope::model
