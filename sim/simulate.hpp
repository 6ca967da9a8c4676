#pragma once

#include "sim/cache_statistics.hpp"
#include "sim/core_statistics.hpp"
#include "sim/occupancy_over_time.hpp"
#include "sim/options.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace texelscope {

/// One distinct line (sector) of a warp access, looked up in L1 and, where it missed, in L2.
struct LookupEvent {
    int core = 0;
    std::int64_t group = 0;
    std::int32_t warp = 0;
    std::uint32_t step = 0;
    std::int64_t turn = 0; ///< number of the warp access, over all cores, in the order of the simulation
    std::uint16_t image = 0;
    Texel texel;              ///< of the first lane that needs the line
    std::int64_t address = 0; ///< first byte of the line (sector), over all images
    std::int64_t line = 0;    ///< first byte of the L1 line that holds it
    LookupOutcome l1;
    std::optional<LookupOutcome> l2; ///< where L1 missed and there is an L2
};

/// A view on a running simulation. The simulator calls `on_access` once for each warp access that has a lane inside
/// its image, then `on_lookup` for each of its lookups, in order.
class SimulationObserver {
public:
    virtual ~SimulationObserver() = default;
    /// `lanes`: the reads that touch memory, after the address mode was applied.
    virtual void on_access(int core, std::int64_t group, std::int32_t warp, std::uint32_t step, std::int64_t turn,
                           std::span<const LaneRead> lanes)
    {
        (void)core, (void)group, (void)warp, (void)step, (void)turn, (void)lanes;
    }
    virtual void on_lookup(const LookupEvent& event) { (void)event; }
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

/// Asked now and then; true ends the simulation with Interrupted.
using StopToken = std::function<bool()>;
struct Interrupted {};

/// Runs a trace from empty caches. Deterministic. Throws bad_input where the options are invalid.
[[nodiscard]] SimulationResult simulate(const TraceSource& source, const SimulationOptions& options,
                                        std::span<SimulationObserver* const> observers = {},
                                        const StopToken& stop = {});

} // namespace texelscope
