#pragma once

#include "base/layers.hpp"
#include "sim/cache/cache_statistics.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/result/occupancy_over_time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::sim {

struct Machine;
struct SimulationOptions;

/// Where the cycles of a core's issue ports went, from 0 to the end of the launch (timed mode). The
/// sum is SimulationResult::cycles times the number of partitions. A cycle in which no read is
/// issued is counted by the first of these conditions that holds when it begins: instructions hold
/// the port; a warp is ready to read, but the texture unit is not; no warp has its data.
struct StallStatistics {
    std::int64_t issued = 0;           ///< cycles in which a read was issued
    std::int64_t waiting_for_data = 0; ///< every resident warp waits for a read
    std::int64_t alu_busy = 0;         ///< instructions hold the issue port
    /// A warp is ready, the texture unit serves earlier lookups.
    std::int64_t texture_unit = 0;
    /// A warp is ready, the unit waits until another miss can be taken.
    std::int64_t outstanding_misses = 0;
    /// A warp is ready, the unit waits for a fill that takes no further request.
    std::int64_t merge_slots = 0;
    /// A warp is ready, the unit waits for room in its latency FIFO.
    std::int64_t latency_fifo = 0;
    std::int64_t idle = 0; ///< the core is done, others still run

    bool operator==(const StallStatistics&) const = default;
    StallStatistics& operator+=(const StallStatistics& other);
    [[nodiscard]] std::int64_t total() const
    {
        return issued + waiting_for_data + alu_busy + texture_unit + outstanding_misses +
               merge_slots + latency_fifo + idle;
    }
};

/// Lookups that the texture unit had to hold back and try again, each counted once, whether or not
/// a warp was ready.
struct ReservationFailures {
    std::int64_t no_entry = 0; ///< misses that found every entry taken
    /// Requests for a line on its way whose entry had merged all that it can.
    std::int64_t no_merge_slot = 0;

    bool operator==(const ReservationFailures&) const = default;
    ReservationFailures& operator+=(const ReservationFailures& other);
    [[nodiscard]] std::int64_t total() const { return no_entry + no_merge_slot; }
};

struct CoreResult {
    CacheStatistics l1;
    std::int64_t warps = 0;
    std::int64_t occupancy_groups = 0; ///< batch schedule only
    Cycles cycles{0};                  ///< timed mode only: when this core was done
    StallStatistics stalls;            ///< timed mode only
    ReservationFailures reservation_failures;
    OccupancyOverTime occupancy_over_time; ///< up to `cycles`; timed mode only

    /// Time average of the resident warps until this core was done; 0 without cycles.
    [[nodiscard]] double average_resident_warps() const;
};

/// Counters of one level of cache, summed over its caches.
struct LevelStatistics {
    std::string name;
    CacheStatistics counts;

    bool operator==(const LevelStatistics&) const = default;
};

struct SimulationResult {
    std::int64_t groups = 0; ///< work-groups that read something
    std::int64_t warps = 0;
    std::int64_t steps = 0;           ///< warp accesses
    std::int64_t simulated_steps = 0; ///< of these, the ones that were not jumped over
    std::int64_t border_reads = 0;    ///< lane reads outside of their image that touched no memory
    CacheStatistics l1;               ///< sum over the cores
    /// The levels behind L1, in order; for caches of single cores the sums over the cores.
    std::vector<LevelStatistics> behind;
    Bytes memory_bytes{0};        ///< bytes fetched from memory
    std::optional<Cycles> cycles; ///< timed mode only: of the core that finished last
    Occupancy occupancy;
    std::int64_t occupancy_groups = 0;
    std::vector<CoreResult> cores;

    /// Counters of a level behind L1, by its name; all zero where there is no such level.
    [[nodiscard]] const CacheStatistics& level(std::string_view name) const;
    [[nodiscard]] const CacheStatistics& l2() const { return level("L2"); }

    /// Time of the launch: cycles / clock + the time of an empty launch; nullopt in untimed mode.
    [[nodiscard]] std::optional<Nanoseconds> time(const Machine& machine) const;

    /// Time average of the resident warps of a core, over the cycles of all cores until each was
    /// done; 0 without cycles.
    [[nodiscard]] double average_resident_warps() const;
};

/// Average resident warps over the most that a core can hold: its warp limit, or the occupancy that
/// overrides it where that is larger.
[[nodiscard]] double achieved_occupancy(double average_resident_warps,
                                        const SimulationOptions& options);

} // namespace texelscope::sim
