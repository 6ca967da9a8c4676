#include "sim/fills_under_way.hpp"

namespace texelscope {

void FillsUnderWay::add(std::int64_t address, double arrival)
{
    arrivals_.emplace(arrival, address);
    latest_[address] = {arrival, 0};
}

void FillsUnderWay::release(double time)
{
    while (!arrivals_.empty() && arrivals_.top().first <= time) {
        const auto found = latest_.find(arrivals_.top().second);
        if (found != latest_.end() && found->second.arrival <= time) {
            latest_.erase(found);
        }
        arrivals_.pop();
    }
}

FillsUnderWay::Fill* FillsUnderWay::find(std::int64_t address)
{
    if (latest_.empty()) {
        return nullptr;
    }
    const auto found = latest_.find(address);
    return found == latest_.end() ? nullptr : &found->second;
}

} // namespace texelscope
