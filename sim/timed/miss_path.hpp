#pragma once

#include "base/layers.hpp"
#include "sim/cache/flat_map.hpp"
#include "sim/memory/timed_memory.hpp"
#include "sim/options/options.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::sim {

/// A time that does not come, or is not known yet.
inline constexpr double never = std::numeric_limits<double>::infinity();

/// Something that serves one transfer after the other, in the order in which they are asked for.
class Port {
public:
    /// Starts a transfer of `duration` cycles at `time`, or when the last one is done; returns its
    /// start. Times do not fall from one call to the next.
    double book(double time, double duration)
    {
        const double start = std::max(time, free_);
        free_ = start + duration;
        return start;
    }
    [[nodiscard]] double free_at() const { return free_; }

private:
    double free_ = 0;
};

/// The fills of one cache whose data are still to come (its miss status holding registers), by line
/// (sector).
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
    /// size() must not be 0.
    [[nodiscard]] double first_arrival() const { return arrivals_[first_].time; }
    /// The latest fill of that line; null where none is under way.
    [[nodiscard]] Fill* find(std::int64_t address);

private:
    struct Arrival {
        double time = 0;
        std::int64_t address = 0;
    };
    /// Ascending from first_ on. What is asked for later mostly arrives later, so a new one goes to
    /// the end or not far from it.
    std::vector<Arrival> arrivals_;
    std::size_t first_ = 0;
    FlatMap<Fill> latest_;
};

/// What lies behind the L1 caches of all cores: when the data of a miss arrive, in cycles.
///
/// A miss that leaves at time t asks level after level, up to the first that has its line, or
/// memory:
///   level:   s = the first time >= t at which its port is free; the port is then busy for granule
///   of
///            the level before / (bytes per cycle). Where it has the line, the data are there at s
///            + its latency (or when the line's fill under way arrives, if that is later); else it
///            asks the next level for a granule of its own at s
///   memory:  s + memory latency, s likewise at the memory port
/// Tags change when an access is issued, its misses leave one by one after that: of the requests
/// for a line that is to come into a level, the first one to leave its core fetches it, be it the
/// one that missed or another core's that hit. A core's own levels take no queue: its texture unit
/// holds a miss back until the ports that it passes are free (free_at()), so that requests reach
/// what cores share in the order of their times.
class MissPath {
public:
    /// `images_in`: number of the level in which the launch before left them all, from 1 for the
    /// first behind L1; nothing: in none.
    MissPath(const SimulationOptions& options, std::optional<std::size_t> images_in);

    /// The lookups of an access, when it is issued.
    void announce(int core, std::span<const TimedLookup> lookups);
    /// When a miss of that core can leave: when the ports of the core's own levels that it passes
    /// are free.
    [[nodiscard]] double free_at(int core, const TimedLookup& miss) const;
    /// Of a lookup that missed in L1 and was announced, at free_at() or later. Asked in the order
    /// of `time`, over all cores.
    double arrival(int core, const TimedLookup& miss, double time);
    /// So many bytes leave a core for the level that all share, by a port of their own; tells when
    /// the last has. In the order of `time`, over all cores.
    double store(double bytes, double time)
    {
        const double cycles = bytes / store_bytes_per_cycle_;
        return store_port_.book(time, cycles) + cycles;
    }

private:
    /// One cache behind L1.
    struct Station {
        Port port;
        FillsUnderWay fills;
        FlatMap<int> unfetched; ///< lines -> fills announced and not asked for yet
    };
    struct Level {
        bool shared = true;
        std::int64_t asked = 1;   ///< bytes that the level before asks for
        std::int64_t granule = 1; ///< and those of its own
        double bytes_per_cycle = 1;
        double latency = 0;
        std::vector<Station> stations; ///< one, or of each core

        [[nodiscard]] Station& of(int core)
        {
            return stations[shared ? 0 : static_cast<std::size_t>(core)];
        }
        [[nodiscard]] const Station& of(int core) const
        {
            return stations[shared ? 0 : static_cast<std::size_t>(core)];
        }
    };
    /// The granule at that address, asked of the level of that number, or of memory.
    double fetch(std::size_t level, int core, std::int64_t address, double time);

    std::vector<Level> levels_; ///< those behind L1
    std::size_t own_ = 0;       ///< of them, those of a core alone
    std::optional<std::size_t> images_in_;
    std::int64_t from_memory_; ///< bytes that the last level asks for
    double memory_latency_;
    double memory_bytes_per_cycle_;
    double store_bytes_per_cycle_;
    Port memory_port_;
    Port store_port_;
};

} // namespace texelscope::sim
