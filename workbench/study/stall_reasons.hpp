#pragma once

#include "base/layers.hpp"
#include "sim/result/simulation_result.hpp"

#include <cstdint>
#include <string>

namespace texelscope::workbench::study {

/// A reason for which a core's issue ports spent cycles.
struct StallReason {
    const char* name;
    const char* member; ///< of JSON
    const char* words;  ///< what the ports do: "waiting for data"
    const char* about;  ///< a clause that ends "cycles in which"
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
    {"issued", "issued", "issuing", "an access was issued", &StallStatistics::issued},
    {"waiting for data", "waiting_for_data", "waiting for data",
     "every resident warp waited for a read", &StallStatistics::waiting_for_data},
    {"arithmetic", "alu_busy", "arithmetic", "arithmetic held the warps",
     &StallStatistics::alu_busy},
    {"texture unit", "texture_unit", "texture unit busy", "the texture unit served earlier lookups",
     &StallStatistics::texture_unit},
    {"outstanding misses", "outstanding_misses", "too many misses under way",
     "too many misses were under way", &StallStatistics::outstanding_misses},
    {"merge slots", "merge_slots", "too many reads of one miss",
     "a miss under way took no further read of its line", &StallStatistics::merge_slots},
    {"latency FIFO", "latency_fifo", "latency FIFO full",
     "the texture unit's latency FIFO was full", &StallStatistics::latency_fifo},
    {"idle", "idle", "idle", "the core was done, others still ran", &StallStatistics::idle},
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

/// "12.3 % issuing, 40.0 % waiting for data ...", of all cycles.
[[nodiscard]] std::string stalls_text(const StallStatistics& stalls);

} // namespace texelscope::workbench::study
