#pragma once

#include "traces/trace_source.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace texelscope::traces {

/// All accesses of a source one after the other: by group, warp and step.
///
///     AccessWalk walk(source, 64);
///     while (walk.next()) { walk.group() ... }
class AccessWalk {
public:
    /// `source` must outlive this.
    AccessWalk(const TraceSource& source, int warp_size);

    /// Goes on to the next access; false at the end. The functions below are about that access.
    bool next();
    [[nodiscard]] std::int64_t group() const { return group_; }
    [[nodiscard]] std::int32_t warp() const { return warps_[warp_ - 1]; }
    /// Linear number of a lane's work-item in its group.
    [[nodiscard]] std::int32_t item(const LaneRead& read) const
    {
        return warp() * warp_size_ + read.lane;
    }
    [[nodiscard]] const WarpAccess& access() const { return access_; }

private:
    const TraceSource& source_;
    int warp_size_;
    std::int64_t group_ = -1;
    std::vector<std::int32_t> warps_; ///< of the group
    std::size_t warp_ = 0;            ///< index of the next one
    std::unique_ptr<WarpStream> stream_;
    WarpAccess access_;
};

} // namespace texelscope::traces
