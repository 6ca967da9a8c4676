#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace texelscope {

/// The fills of one cache whose data are still to come (its miss status holding registers), by line (sector).
class FillsUnderWay {
public:
    struct Fill {
        double arrival = 0;
        int merges = 0; ///< requests that were added to the first one
    };

    void add(std::int64_t address, double arrival);
    /// Forgets what has arrived at `time`; times do not fall from one call to the next.
    void release(double time);

    /// A line that was thrown out while on its way can be asked for again: then it has two fills.
    [[nodiscard]] std::size_t size() const { return arrivals_.size(); }
    [[nodiscard]] double first_arrival() const { return arrivals_.top().first; } ///< size() must not be 0
    /// The latest fill of that line; null where none is under way.
    [[nodiscard]] Fill* find(std::int64_t address);

private:
    using Arrival = std::pair<double, std::int64_t>; ///< time, address
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
    std::unordered_map<std::int64_t, Fill> latest_;
};

} // namespace texelscope
