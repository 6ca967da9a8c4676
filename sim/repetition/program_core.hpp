#pragma once

#include "sim/repetition/access_log.hpp"
#include "sim/repetition/launch_program.hpp"
#include "sim/schedule/warp_dispatch.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::sim {

/// Walks through the accesses of a program, in order, with all iterations of its loops.
class ProgramCursor {
public:
    explicit ProgramCursor(const LaunchProgram& program);

    /// The next access; null at the end, after which the walk starts again.
    const LaunchProgram::Access* next();
    /// What the loops add to the coordinates of the access that next() returned.
    [[nodiscard]] Texel offset() const { return offset_; }

private:
    struct Frame {
        const std::vector<LaunchProgram::Statement>* body;
        const LaunchProgram::Loop* loop; ///< null: the whole program
        std::size_t position = 0;
        std::int64_t iteration = 0;
    };

    const LaunchProgram& program_;
    std::vector<Frame> stack_;
    std::vector<std::int64_t> values_; ///< of the loop variables, by slot
    Texel offset_;
};

/// One core of a launch that goes on by itself, because it is not in step with the others. The
/// warps of an occupancy group take turns, access by access; then comes the next occupancy group.
/// (All warps make the same number of accesses, so with the refill schedule, too, all slots fall
/// free in one turn.)
class ProgramCore {
public:
    /// `resident`: warps that are resident and about to start; `dispatch` has those after them.
    /// `batch`: whether the schedule is GroupSchedule::batch; `occupancy`: most resident warps.
    ProgramCore(LaunchProgram& program, int core, bool batch, std::size_t occupancy,
                WarpDispatch dispatch, const std::vector<WarpId>& resident);

    /// Writes the next access to `access`; false at the end.
    bool next(LoggedAccess& access);

    [[nodiscard]] const WarpDispatch& dispatch() const { return dispatch_; }
    [[nodiscard]] std::int64_t occupancy_groups() const { return occupancy_groups_; }

private:
    void place(const std::vector<WarpId>& warps);

    LaunchProgram& program_;
    std::uint16_t core_;
    bool batch_;
    std::size_t occupancy_;
    WarpDispatch dispatch_;
    ProgramCursor cursor_;
    std::vector<std::vector<PlacedAccess>> placed_; ///< [warp][access]
    const LaunchProgram::Access* access_ = nullptr; ///< the access that the warps are at
    std::size_t warp_ = 0;                          ///< the warp whose turn it is
    std::int64_t occupancy_groups_ = 0;
};

} // namespace texelscope::sim
