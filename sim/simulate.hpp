#pragma once

#include "sim/cache_statistics.hpp"
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

/// Where the cycles of a core went, from 0 to the end of the launch (timed mode): the sum is SimulationResult::cycles.
struct StallStatistics {
    std::int64_t issued = 0;             ///< cycles in which an access was issued
    std::int64_t waiting_for_data = 0;   ///< every resident warp waits for a read
    std::int64_t alu_busy = 0;           ///< arithmetic holds the issue port, or the only ready warps compute
    std::int64_t texture_unit = 0;       ///< a warp is ready, the texture unit serves earlier lookups
    std::int64_t outstanding_misses = 0; ///< the texture unit waits until another miss can be taken
    std::int64_t idle = 0;               ///< the core is done, others still run

    bool operator==(const StallStatistics&) const = default;
    StallStatistics& operator+=(const StallStatistics& other);
    [[nodiscard]] std::int64_t total() const
    {
        return issued + waiting_for_data + alu_busy + texture_unit + outstanding_misses + idle;
    }
};

struct CoreResult {
    CacheStatistics l1;
    std::int64_t warps = 0;
    std::int64_t occupancy_groups = 0; ///< batch schedule only
    Cycles cycles{0};                  ///< timed mode only: when this core was done
    StallStatistics stalls;            ///< timed mode only
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
};

/// Asked now and then; true ends the simulation with Interrupted.
using StopToken = std::function<bool()>;
struct Interrupted {};

/// Runs a trace from empty caches. Deterministic. Throws bad_input where the options are invalid.
[[nodiscard]] SimulationResult simulate(const TraceSource& source, const SimulationOptions& options,
                                        std::span<SimulationObserver* const> observers = {},
                                        const StopToken& stop = {});

} // namespace texelscope
