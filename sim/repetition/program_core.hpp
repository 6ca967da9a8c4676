#pragma once

#include "sim/repetition/access_log.hpp"
#include "sim/repetition/launch_program.hpp"
#include "sim/schedule/warp_dispatch.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::sim {

/// Goes through the accesses of a program, in order.
class ProgramCursor {
public:
    explicit ProgramCursor(const LaunchProgram& program);

    /// The next access; null at the end, after which it starts anew.
    const LaunchProgram::Access* next();
    /// What the loops add to the coordinates of that access.
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

/// One core of a launch that goes on by itself, not in step with the others: the warps of an
/// occupancy group take turns, then comes the next occupancy group. (All warps are equally long; so
/// with refill, slots fall free in one turn as well.)
class ProgramCore {
public:
    /// These warps are resident and about to start; the dispatch goes on after them.
    ProgramCore(LaunchProgram& program, int core, bool batch, std::size_t occupancy,
                WarpDispatch dispatch, const std::vector<WarpId>& resident);

    /// The next access; false at the end.
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
    const LaunchProgram::Access* access_ = nullptr; ///< under way
    std::size_t warp_ = 0;                          ///< whose turn it is
    std::int64_t occupancy_groups_ = 0;
};

} // namespace texelscope::sim
