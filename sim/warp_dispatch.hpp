#pragma once

#include "traces/trace_source.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope {

struct WarpId {
    std::int64_t group = 0;
    std::int32_t warp = 0;
};

/// The warps of one core in the order in which they are dispatched: work-group g runs on core g mod cores, groups and
/// their warps ascending. Lazy.
class WarpDispatch {
public:
    WarpDispatch(const TraceSource& source, int core, int cores, int warp_size);

    /// The next warp, or nothing at the end.
    [[nodiscard]] std::optional<WarpId> next();

    /// The warps of the next occupancy group: at most `occupancy`. Work-groups are packed in order while they fit whole;
    /// one with more warps than the occupancy is cut into occupancy groups of its own. Empty at the end.
    [[nodiscard]] std::vector<WarpId> next_occupancy_group(std::size_t occupancy);

    [[nodiscard]] std::int64_t groups() const { return groups_; } ///< work-groups seen so far that read something
    [[nodiscard]] std::int64_t warps() const { return warps_; }   ///< warps handed out so far

private:
    /// Makes the first unread work-group the pending one unless there is one; false at the end.
    bool load_group();
    WarpId take();

    const TraceSource& source_;
    int core_;
    int cores_;
    int warp_size_;
    std::int64_t next_group_;
    std::int64_t pending_group_ = 0;
    std::vector<std::int32_t> pending_; ///< warps of the pending group
    std::size_t taken_ = 0;             ///< how many of them were handed out
    std::int64_t groups_ = 0;
    std::int64_t warps_ = 0;
};

} // namespace texelscope
