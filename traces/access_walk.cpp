#include "traces/access_walk.hpp"

namespace texelscope::traces {

AccessWalk::AccessWalk(const TraceSource& source, int warp_size)
    : source_(source), warp_size_(warp_size), group_(source.next_group(0))
{
    if (group_ < source_.group_count()) {
        warps_ = source_.warps(group_, warp_size_);
    }
}

bool AccessWalk::next()
{
    while (stream_ == nullptr || !stream_->next(access_)) {
        while (warp_ == warps_.size()) {
            if (group_ >= source_.group_count()) {
                stream_.reset();
                return false;
            }
            group_ = source_.next_group(group_ + 1);
            warp_ = 0;
            warps_.clear();
            if (group_ < source_.group_count()) {
                warps_ = source_.warps(group_, warp_size_);
            }
        }
        stream_ = source_.open(group_, warps_[warp_++], warp_size_);
    }
    return true;
}

} // namespace texelscope::traces
