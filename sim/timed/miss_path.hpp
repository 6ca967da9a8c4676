#pragma once

#include "base/layers.hpp"
#include "sim/cache/flat_map.hpp"
#include "sim/memory/timed_memory.hpp"
#include "sim/options/options.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace texelscope::sim {

/// A time that does not come, or is not known yet.
inline constexpr double never = std::numeric_limits<double>::infinity();

/// Something that serves one transfer after the other, in the order in which they are asked for.
class Port {
public:
    /// Starts a transfer of `duration` cycles at `time`, or when the last one is done; returns its start. Times do not
    /// fall from one call to the next.
    double book(double time, double duration)
    {
        const double start = std::max(time, free_);
        free_ = start + duration;
        return start;
    }

private:
    double free_ = 0;
};

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

/// What lies behind the L1 caches of all cores: when the data of a miss arrive, in cycles.
///
/// A miss that leaves at time t returns at
///   L2 hit:  s + L2 latency (or when the line's fill under way arrives, if that is later), s = the first time >= t at
///            which the L2 port is free; the port is then busy for granule / (L2 bytes per cycle)
///   memory:  s + memory latency, s likewise at the memory port, after the L2 port where there is an L2
/// Tags change when an access is issued, its misses leave one by one after that: of the requests for a line that is to
/// come into L2, the first one to arrive fetches it, be it the one that missed or another core's that hit.
class MissPath {
public:
    /// `images_in_l2`: the launch before left them all in L2.
    MissPath(const SimulationOptions& options, bool images_in_l2);

    /// The lookups of an access, when it is issued.
    void announce(std::span<const TimedLookup> lookups);
    /// Of a lookup that missed in L1 and was announced. Asked in the order of `time`, over all cores.
    double arrival(const TimedLookup& miss, double time);
    /// So many bytes leave a core for L2, by a port of their own; tells when the last has. In the order of `time`, over all cores.
    double store(double bytes, double time)
    {
        const double cycles = bytes / l2_bytes_per_cycle_;
        return store_port_.book(time, cycles) + cycles;
    }

private:
    double from_memory(double time, Bytes bytes);

    double l2_latency_;
    double l2_bytes_per_cycle_;
    double memory_latency_;
    double memory_bytes_per_cycle_;
    bool has_l2_;
    bool images_in_l2_;
    Bytes l1_granule_;
    Bytes l2_granule_;
    Port l2_port_;
    Port memory_port_;
    Port store_port_;
    FillsUnderWay l2_fills_;
    FlatMap<int> unfetched_; ///< lines of L2 -> fills announced and not asked for yet
};

} // namespace texelscope::sim
