#pragma once

#include "experiments/study/study.hpp"

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::gui {

/// Where one thread leaves times, by number in a space, for another one to take.
class TimeInbox {
public:
    void put(std::int64_t index, double ns)
    {
        const std::scoped_lock lock(mutex_);
        times_.emplace_back(index, ns);
    }
    /// What has come since the last time.
    [[nodiscard]] std::vector<std::pair<std::int64_t, double>> take()
    {
        const std::scoped_lock lock(mutex_);
        return std::exchange(times_, {});
    }

private:
    std::mutex mutex_;
    std::vector<std::pair<std::int64_t, double>> times_;
};

/// A launch with more warp accesses is simulated in parts (sampled_time()).
inline constexpr std::int64_t most_simulated_accesses = 1'000'000;

/// What became of a simulation of several configurations.
struct SimulatedCount {
    std::size_t done = 0;
    std::string error; ///< why the first one that failed did; empty where none did
    bool stopped = false;
};

/// Simulates configurations, given by their numbers, in timed mode and puts each time into the inbox as it is known.
/// When `stop` answers true, what is done stays.
[[nodiscard]] SimulatedCount simulate_times(const Operator& op, const DeviceProfile& device,
                                            const ConfigurationSpace& space, const std::vector<std::int64_t>& indices,
                                            TimeInbox& inbox, const Progress& progress = {},
                                            const StopToken& stop = {});

} // namespace texelscope::gui
