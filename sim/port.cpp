#include "sim/port.hpp"

#include <algorithm>
#include <iterator>

namespace texelscope {

double Port::book(double time, double duration, double now)
{
    while (!busy_.empty() && busy_.begin()->second <= now) {
        busy_.erase(busy_.begin());
    }
    double start = time;
    auto after = busy_.upper_bound(start);
    if (after != busy_.begin()) {
        start = std::max(start, std::prev(after)->second);
    }
    while (after != busy_.end() && after->first < start + duration) {
        start = std::max(start, after->second);
        ++after;
    }
    double first = start;
    double last = start + duration;
    if (after != busy_.begin() && std::prev(after)->second >= first) {
        --after;
        first = after->first;
        after = busy_.erase(after);
    }
    if (after != busy_.end() && after->first <= last) {
        last = after->second;
        after = busy_.erase(after);
    }
    if (last > first) {
        busy_.emplace(first, last);
    }
    return start;
}

} // namespace texelscope
