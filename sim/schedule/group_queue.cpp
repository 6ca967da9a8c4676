#include "sim/schedule/group_queue.hpp"

#include <utility>

namespace texelscope::sim {

GroupQueue::GroupQueue(const TraceSource& source, int warp_size, int remainder, int cores)
    : source_(source), warp_size_(warp_size), remainder_(remainder), cores_(cores), next_(source.next_group(remainder))
{}

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

} // namespace texelscope::sim
