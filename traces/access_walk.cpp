#include "traces/access_walk.hpp"

namespace texelscope::traces {

AccessWalk::AccessWalk(const TraceSource& source, int warp_size)
    : source_(source), warp_size_(warp_size)
{}

bool AccessWalk::next()
{
    while (stream_ == nullptr || !stream_->next(access_)) {
        while (warp_ == warps_.size()) {
            if (group_ < source_.group_count()) {
                group_ = source_.next_group(group_ + 1);
            }
            if (group_ >= source_.group_count()) {
                stream_.reset();
                return false;
            }
            warps_ = source_.warps(group_, warp_size_);
            warp_ = 0;
        }
        stream_ = source_.open(group_, warps_[warp_++], warp_size_);
    }
    return true;
}

} // namespace texelscope::traces
