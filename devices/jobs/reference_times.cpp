#include "devices/jobs/reference_times.hpp"

#include "base/averages.hpp"

#include <algorithm>
#include <vector>

namespace texelscope::devices {

ReferenceTimes reference_times(std::span<const double> reference_ns)
{
    std::vector<double> times(reference_ns.begin(), reference_ns.end());
    std::sort(times.begin(), times.end());
    if (times.empty() || !(times.front() > 0)) {
        return {};
    }
    const std::size_t left_out = times.size() / 5;
    return {base::median(times), times[times.size() - 1 - left_out] / times[left_out]};
}

} // namespace texelscope::devices
