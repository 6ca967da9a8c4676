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

/// Stands for a time (cycles) that never comes or that is not known yet.
inline constexpr double never = std::numeric_limits<double>::infinity();

/// A resource that serves one transfer at a time, such as the port of a cache. Transfers are served
/// in the order of the calls of book(). All times are in cycles.
class Port {
public:
    /// Books a transfer of `duration` cycles and returns when it starts: at `time`, or when the
    /// transfer before it is done, if that is later. `time` never decreases from call to call.
    double book(double time, double duration)
    {
        const double start = std::max(time, free_);
        free_ = start + duration;
        return start;
    }
    /// When the last booked transfer is done.
    [[nodiscard]] double free_at() const { return free_; }

private:
    double free_ = 0;
};

/// The fills of one cache whose data have not arrived yet: its miss-status holding registers
/// (MSHRs). A fill is known by a number or an address of its line, or of its sector where the cache
/// has sectors; the caller chooses which, and uses the same one in all calls.
class FillsUnderWay {
public:
    struct Fill {
        double arrival = 0; ///< when the data arrive
        int merges = 0;     ///< later requests for the same line that wait for this fill
    };

    /// Adds a fill whose data arrive at time `arrival`.
    void add(std::int64_t address, double arrival);
    /// Forgets the fills that have arrived by `time`, which never decreases from call to call.
    void release(double time);

    /// Number of fills under way. One line can have two of them: when it was evicted before its
    /// data arrived, and then missed again.
    [[nodiscard]] std::size_t size() const { return arrivals_.size() - first_; }
    /// Earliest arrival of all fills under way; size() must not be 0.
    [[nodiscard]] double first_arrival() const { return arrivals_[first_].time; }
    /// The latest fill of a line, or null where no fill of it is under way.
    [[nodiscard]] Fill* find(std::int64_t address);

private:
    struct Arrival {
        double time = 0;
        std::int64_t address = 0;
    };
    /// Arrivals in ascending order of time; those before index first_ are over. A later request
    /// mostly arrives later, so a new arrival mostly goes to the end; hits of a near level overtake
    /// hundreds that wait for memory.
    std::vector<Arrival> arrivals_;
    std::size_t first_ = 0;
    FlatMap<Fill> latest_; ///< latest fill of each line
};

/// The way of an L1 miss through the levels behind L1 and through memory: tells when its data
/// arrive, in cycles. One MissPath serves all cores.
///
/// A miss that leaves its core at time t asks one level after another, up to the first that has its
/// line, or memory:
///   level:   The request starts at s, the first time >= t at which the level's port is free. It
///            keeps the port busy for (granule of the level before) / (bytes per cycle) cycles.
///            A level of several banks has a port for each of them, which is so many times as slow;
///            a request takes that of its line.
///            If the level has the line, the data are there at s + latency of the level, or when
///            the line's own fill arrives, if that is later. Otherwise the level asks the next
///            level for a granule of its own size at time s.
///   memory:  The request starts at s, when the memory port is free, or that of its channel; the
///            data are there at s + memory latency.
/// What a level passes on keeps its order: a request that has waited for a bank holds those behind
/// it back, on their way to the next level.
///
/// Tags change when an access is issued, but its misses leave one by one after that. So when
/// several requests want a line that is still to come into a level, the first one that leaves its
/// core fetches the line. That may be the request that missed, or another core's request that
/// found the tag there already. announce() and FillsUnderWay keep track of such lines.
///
/// A level that belongs to one core has no queue: the texture unit holds a miss back until the
/// ports of these levels are free (free_at()). Therefore requests reach the shared levels in the
/// order of their times.
class MissPath {
public:
    /// `images_in`: number of the level that holds all images when the launch begins, because the
    /// launch before left them there (see warm_level()). 1 is the first level behind L1; nullopt
    /// means that no level holds them.
    MissPath(const SimulationOptions& options, std::optional<std::size_t> images_in);

    /// Announces all lookups of an access at the moment when the access is issued.
    void announce(int core, std::span<const TimedLookup> lookups);
    /// When a miss can leave its core: when the ports of all levels of that core alone that the
    /// miss passes are free.
    [[nodiscard]] double free_at(int core, const TimedLookup& miss) const;
    /// When the data of a miss in L1 arrive that leaves its core at `time` >= free_at(). The lookup
    /// must have been announced. Calls are in the order of `time`, over all cores.
    double arrival(int core, const TimedLookup& miss, double time);
    /// Sends stored bytes from a core to the first level that all cores share, through a port for
    /// stores alone; `to_memory` of them pass memory too, all channels alike. Returns when the last
    /// byte has left. Calls are in the order of `time`, over all cores.
    double store(double bytes, double to_memory, double time)
    {
        const double cycles = bytes / store_bytes_per_cycle_;
        double left = store_port_.book(time, cycles) + cycles;
        if (to_memory > 0) {
            const double busy = to_memory / memory_bytes_per_cycle_;
            for (Port& channel : memory_) {
                left = std::max(left, channel.book(time, busy) + busy);
            }
        }
        return left;
    }

private:
    /// The ports of the banks of a cache, or of the channels of memory.
    using Banks = std::vector<Port>;
    /// The bank in which an address lies, where stretches of `unit` bytes are dealt out in turn.
    template <class Ports>
    [[nodiscard]] static auto& bank_of(Ports& banks, std::int64_t address, std::int64_t unit)
    {
        const auto count = static_cast<std::int64_t>(banks.size());
        return banks[count == 1 ? 0 : static_cast<std::size_t>(address / unit % count)];
    }
    /// One cache behind L1.
    struct Station {
        Banks banks;
        double passed_on = 0; ///< when the last of its requests went on to the next level
        FillsUnderWay fills;
        /// By line: number of fills that were announced but that no request has started yet.
        FlatMap<int> unfetched;
    };
    /// One level behind L1.
    struct Level {
        bool shared = true;            ///< one cache for all cores, else one for each core
        std::int64_t granule = 1;      ///< bytes of a request by this level to the next one
        double busy = 1;               ///< cycles for which a request keeps a bank's port
        std::int64_t line = 1;         ///< bytes that lie in one bank
        double latency = 0;            ///< cycles of a hit
        std::vector<Station> stations; ///< one, or one for each core

        [[nodiscard]] Station& of(int core)
        {
            return stations[shared ? 0 : static_cast<std::size_t>(core)];
        }
        [[nodiscard]] const Station& of(int core) const
        {
            return stations[shared ? 0 : static_cast<std::size_t>(core)];
        }
    };
    /// Asks levels_[level] for the data at `address`, or memory where level == levels_.size().
    /// Returns when they arrive.
    double fetch(std::size_t level, int core, std::int64_t address, double time);

    std::vector<Level> levels_; ///< levels behind L1
    std::size_t own_ = 0;       ///< the first `own_` of them belong to one core each
    std::optional<std::size_t> images_in_;
    std::int64_t from_memory_; ///< bytes of a request by the last level to memory
    double memory_latency_;
    double memory_bytes_per_cycle_;
    double memory_busy_ = 1;  ///< cycles for which a request keeps a channel's port
    std::int64_t interleave_; ///< bytes that lie in one channel
    double store_bytes_per_cycle_;
    Banks memory_; ///< channels
    Port store_port_;
};

} // namespace texelscope::sim
