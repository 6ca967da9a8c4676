#include "sim/schedule/warp_dispatch.hpp"

#include <utility>

namespace texelscope::sim {

GroupQueue::GroupQueue(const TraceSource& source, int warp_size, int remainder, int cores)
    : source_(source), warp_size_(warp_size), remainder_(remainder), cores_(cores),
      next_(source.next_group(remainder))
{}

// Groups of other cores, and those in which no warp reads anything, are passed over.
const GroupQueue::Group* GroupQueue::front()
{
    while (front_.warps.empty()) {
        while (next_ < source_.group_count() && next_ % cores_ != remainder_) {
            next_ = source_.next_group(next_ + 1);
        }
        if (next_ >= source_.group_count()) {
            return nullptr;
        }
        front_ = {next_, source_.warps(next_, warp_size_)};
        next_ = source_.next_group(next_ + 1);
    }
    return &front_;
}

GroupQueue::Group GroupQueue::pop()
{
    return std::exchange(front_, {});
}

WarpDispatch::WarpDispatch(const TraceSource& source, int core, int cores, int warp_size)
    : WarpDispatch(std::make_shared<GroupQueue>(source, warp_size, core, cores))
{}

WarpDispatch::WarpDispatch(std::shared_ptr<GroupQueue> queue) : queue_(std::move(queue)) {}

// Makes `group_` one that has warps left; false at the end of the queue.
bool WarpDispatch::load_group()
{
    if (taken_ < group_.warps.size()) {
        return true;
    }
    if (queue_->front() == nullptr) {
        return false;
    }
    group_ = queue_->pop();
    taken_ = 0;
    ++groups_;
    return true;
}

WarpId WarpDispatch::take()
{
    ++warps_;
    return {group_.number, group_.warps[taken_++]};
}

std::optional<WarpId> WarpDispatch::next()
{
    return load_group() ? std::optional(take()) : std::nullopt;
}

// Warps of the group under way, as many as there is room for.
std::vector<WarpId> WarpDispatch::next_of_one_group(std::size_t room)
{
    std::vector<WarpId> warps;
    if (load_group()) {
        while (taken_ < group_.warps.size() && warps.size() < room) {
            warps.push_back(take());
        }
    }
    return warps;
}

// A whole group joins those that the core already holds only if all its warps fit. A group that is
// larger than the occupancy is cut, and its parts run alone.
WarpDispatch::Part WarpDispatch::pack(std::size_t held, std::size_t occupancy)
{
    if (taken_ == group_.warps.size()) {
        const GroupQueue::Group* const next = queue_->front();
        if (next == nullptr || (held > 0 && held + next->warps.size() > occupancy)) {
            return {};
        }
    } else if (held > 0) { // the rest of one that was cut
        return {};
    }
    Part part;
    part.warps = next_of_one_group(occupancy);
    part.more = group_.warps.size() <= occupancy && held + part.warps.size() < occupancy;
    return part;
}

std::vector<WarpId> WarpDispatch::next_occupancy_group(std::size_t occupancy)
{
    // Whole groups are added as long as they fit: warps that are resident together.
    std::vector<WarpId> group;
    for (bool more = true; more;) {
        const Part part = pack(group.size(), occupancy);
        group.insert(group.end(), part.warps.begin(), part.warps.end());
        more = part.more;
    }
    return group;
}

std::vector<WarpId> WarpDispatch::next_residents(bool batch, std::size_t occupancy)
{
    if (batch) {
        return next_occupancy_group(occupancy);
    }
    std::vector<WarpId> warps;
    while (warps.size() < occupancy && load_group()) {
        warps.push_back(take());
    }
    return warps;
}

} // namespace texelscope::sim
