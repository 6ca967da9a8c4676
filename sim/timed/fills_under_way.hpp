#pragma once

#include "sim/cache/flat_map.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::sim {

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
    [[nodiscard]] std::size_t size() const { return arrivals_.size() - first_; }
    [[nodiscard]] double first_arrival() const { return arrivals_[first_].time; } ///< size() must not be 0
    /// The latest fill of that line; null where none is under way.
    [[nodiscard]] Fill* find(std::int64_t address);

private:
    struct Arrival {
        double time = 0;
        std::int64_t address = 0;
    };
    /// Ascending from first_ on. What is asked for later mostly arrives later, so a new one goes to the end or not far from it.
    std::vector<Arrival> arrivals_;
    std::size_t first_ = 0;
    FlatMap<Fill> latest_;
};

} // namespace texelscope::sim
