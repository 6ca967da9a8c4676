#include "sim/warp_dispatch.hpp"

#include <algorithm>

namespace texelscope {

WarpDispatch::WarpDispatch(const TraceSource& source, int core, int cores, int warp_size)
    : source_(source), core_(core), cores_(cores), warp_size_(warp_size), next_group_(source.next_group(core))
{}

bool WarpDispatch::load_group()
{
    while (taken_ == pending_.size()) {
        while (next_group_ < source_.group_count() && next_group_ % cores_ != core_) {
            next_group_ = source_.next_group(next_group_ + 1);
        }
        if (next_group_ >= source_.group_count()) {
            return false;
        }
        pending_group_ = next_group_;
        pending_ = source_.warps(pending_group_, warp_size_);
        taken_ = 0;
        groups_ += pending_.empty() ? 0 : 1;
        next_group_ = source_.next_group(next_group_ + 1);
    }
    return true;
}

WarpId WarpDispatch::take()
{
    ++warps_;
    return {pending_group_, pending_[taken_++]};
}

std::optional<WarpId> WarpDispatch::next()
{
    return load_group() ? std::optional(take()) : std::nullopt;
}

std::vector<WarpId> WarpDispatch::next_occupancy_group(std::size_t occupancy)
{
    std::vector<WarpId> group;
    while (load_group()) {
        const bool oversize = pending_.size() > occupancy;
        if (oversize ? !group.empty() : group.size() + pending_.size() > occupancy) {
            break;
        }
        while (taken_ < pending_.size() && group.size() < occupancy) {
            group.push_back(take());
        }
        if (oversize) {
            break;
        }
    }
    return group;
}

} // namespace texelscope
