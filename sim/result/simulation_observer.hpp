#pragma once

#include "sim/cache/fill_outcome.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <span>

namespace texelscope::sim {

/// One distinct line (sector) of a warp access, looked up in L1 and, where it missed, in the levels
/// behind it.
struct LookupEvent {
    int core = 0;
    std::int64_t group = 0;
    std::int32_t warp = 0;
    std::uint32_t step = 0;
    /// Number of the warp access, over all cores, in the order of the simulation.
    std::int64_t access_index = 0;
    std::uint16_t image = 0;
    Texel texel;              ///< texel of the first lane that needs the line
    std::int64_t address = 0; ///< first byte of the line (sector), over all images
    std::int64_t line = 0;    ///< first byte of the L1 line that holds it
    LookupOutcome l1;
    LevelOutcomes behind; ///< empty where L1 hit
};

/// Watches a running simulation. The simulator calls `on_access` once for each warp access that
/// has a lane inside its image, then `on_lookup` for each of its lookups, in order.
class SimulationObserver {
public:
    virtual ~SimulationObserver() = default;
    /// `lanes`: the reads that touch memory, after the address mode was applied.
    virtual void on_access(int core, std::int64_t group, std::int32_t warp, std::uint32_t step,
                           std::int64_t access_index, std::span<const LaneRead> lanes)
    {
        (void)core, (void)group, (void)warp, (void)step, (void)access_index, (void)lanes;
    }
    virtual void on_lookup(const LookupEvent& event) { (void)event; }
};

} // namespace texelscope::sim
