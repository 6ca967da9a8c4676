#pragma once

#include "sim/cache/cache_statistics.hpp"
#include "sim/options/options.hpp"
#include "sim/result/core_statistics.hpp"
#include "sim/result/occupancy_over_time.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::sim {

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

struct SimulationResult {
    std::int64_t groups = 0; ///< work-groups that read something
    std::int64_t warps = 0;
    std::int64_t steps = 0;           ///< warp accesses
    std::int64_t simulated_steps = 0; ///< of these, the ones that were not jumped over
    std::int64_t border_reads = 0;    ///< lane reads outside of their image that touched no memory
    CacheStatistics l1;               ///< sum over the cores
    CacheStatistics l2;               ///< zero where there is none
    Bytes memory_bytes{0};
    std::optional<Cycles> cycles; ///< timed mode only: of the core that finished last
    Occupancy occupancy;
    std::int64_t occupancy_groups = 0;
    std::vector<CoreResult> cores;

    /// Cycles over the clock; nothing in untimed mode.
    [[nodiscard]] std::optional<Nanoseconds> time(const SimulationOptions& options) const;

    /// Time average of the resident warps of a core, over the cycles of all cores until each was done; 0 without cycles.
    [[nodiscard]] double average_resident_warps() const;
};

/// Average resident warps over the most that a core can hold: its warp limit, or the occupancy that overrides it where
/// that is larger.
[[nodiscard]] double achieved_occupancy(double average_resident_warps, const SimulationOptions& options);

} // namespace texelscope::sim
