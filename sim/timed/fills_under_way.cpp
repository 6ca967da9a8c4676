#include "sim/timed/fills_under_way.hpp"

#include <iterator>

namespace texelscope::sim {

void FillsUnderWay::add(std::int64_t address, double arrival)
{
    if (2 * first_ > arrivals_.size()) {
        arrivals_.erase(arrivals_.begin(), arrivals_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
    }
    auto place = arrivals_.end();
    while (place != arrivals_.begin() + static_cast<std::ptrdiff_t>(first_) && std::prev(place)->time > arrival) {
        --place;
    }
    arrivals_.insert(place, {arrival, address});
    latest_[address] = {arrival, 0};
}

void FillsUnderWay::release(double time)
{
    for (; size() > 0 && first_arrival() <= time; ++first_) {
        const std::int64_t address = arrivals_[first_].address;
        if (const Fill* const fill = latest_.find(address); fill != nullptr && fill->arrival <= time) {
            latest_.erase(address);
        }
    }
}

FillsUnderWay::Fill* FillsUnderWay::find(std::int64_t address)
{
    return latest_.empty() ? nullptr : latest_.find(address);
}

} // namespace texelscope::sim
