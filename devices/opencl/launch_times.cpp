#include "devices/opencl/launch_times.hpp"

#include <algorithm>

namespace texelscope::devices {

bool can_be_times(const std::vector<LaunchTime>& launches, double resolution_ns)
{
    constexpr std::uint64_t least_ns = 10;
    constexpr double disagreement = 1.05;
    const auto by_itself = [&](const LaunchTime& launch) {
        return launch.end >= launch.start && launch.end - launch.start >= least_ns &&
               static_cast<double>(launch.end - launch.start) <=
                   disagreement * launch.wall + resolution_ns;
    };
    const auto too_early = [&](const LaunchTime& before, const LaunchTime& after) {
        const std::uint64_t overlap = std::max(before.end, after.start) - after.start;
        return static_cast<double>(overlap) > resolution_ns;
    };
    return std::all_of(launches.begin(), launches.end(), by_itself) &&
           std::adjacent_find(launches.begin(), launches.end(), too_early) == launches.end();
}

} // namespace texelscope::devices
