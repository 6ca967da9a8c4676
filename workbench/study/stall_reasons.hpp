#pragma once

#include "base/layers.hpp"
#include "sim/result/simulation_result.hpp"

#include <cstdint>

namespace texelscope::workbench::study {

/// A reason for which a core's issue ports spent cycles.
struct StallReason {
    const char* name;
    const char* about; ///< a clause that ends "cycles in which"
    std::int64_t StallStatistics::*cycles;

    /// Its share of all cycles; 0 where there are none.
    [[nodiscard]] double share(const StallStatistics& of) const
    {
        return of.total() == 0 ? 0.0
                               : static_cast<double>(of.*cycles) / static_cast<double>(of.total());
    }
};
/// All reasons: their shares sum to 1.
inline constexpr StallReason stall_reasons[] = {
    {"issued", "an access was issued", &StallStatistics::issued},
    {"waiting for data", "every resident warp waited for a read",
     &StallStatistics::waiting_for_data},
    {"arithmetic", "arithmetic held the warps", &StallStatistics::alu_busy},
    {"texture unit", "the texture unit served earlier lookups", &StallStatistics::texture_unit},
    {"outstanding misses", "too many misses were under way", &StallStatistics::outstanding_misses},
    {"merge slots", "a miss under way took no further read of its line",
     &StallStatistics::merge_slots},
    {"latency FIFO", "the texture unit's latency FIFO was full", &StallStatistics::latency_fifo},
    {"idle", "the core was done, others still ran", &StallStatistics::idle},
};

/// The cycles summed over all cores.
[[nodiscard]] inline StallStatistics all_stalls(const SimulationResult& result)
{
    StallStatistics sum;
    for (const CoreResult& core : result.cores) {
        sum += core.stalls;
    }
    return sum;
}

} // namespace texelscope::workbench::study
