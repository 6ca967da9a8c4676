#include "sim/reuse_distance_counter.hpp"

#include <algorithm>
#include <utility>

namespace texelscope {

void ReuseDistanceCounter::add(std::size_t time, std::int32_t amount)
{
    for (; time < tree_.size(); time += time & (~time + 1)) {
        tree_[time] += amount;
    }
}

std::int64_t ReuseDistanceCounter::sum_up_to(std::size_t time) const
{
    std::int64_t sum = 0;
    for (; time > 0; time &= time - 1) {
        sum += tree_[time];
    }
    return sum;
}

void ReuseDistanceCounter::renumber()
{
    std::vector<std::pair<std::size_t, std::int64_t>> by_time;
    by_time.reserve(last_use_.size());
    for (const auto& [line, time] : last_use_) {
        by_time.emplace_back(time, line);
    }
    std::sort(by_time.begin(), by_time.end());
    const std::size_t capacity = std::max<std::size_t>(1024, 2 * by_time.size());
    tree_.assign(capacity + 1, 0);
    now_ = 0;
    for (const auto& [time, line] : by_time) {
        last_use_[line] = ++now_;
        add(now_, 1);
    }
}

std::optional<std::int64_t> ReuseDistanceCounter::access(std::int64_t line)
{
    if (now_ + 1 >= tree_.size()) {
        renumber();
    }
    const std::size_t time = ++now_;
    const auto [found, first] = last_use_.try_emplace(line, time);
    std::optional<std::int64_t> distance;
    if (!first) {
        // Lines used since then: each has its one mark at its last use.
        distance = static_cast<std::int64_t>(last_use_.size()) - sum_up_to(found->second);
        add(found->second, -1);
        found->second = time;
    }
    add(time, 1);
    return distance;
}

} // namespace texelscope
