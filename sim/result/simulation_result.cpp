#include "sim/result/simulation_result.hpp"

#include "sim/options/options.hpp"

#include <algorithm>

namespace texelscope::sim {
namespace {

double ratio(std::int64_t part, std::int64_t whole)
{
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

} // namespace

StallStatistics& StallStatistics::operator+=(const StallStatistics& other)
{
    issued += other.issued;
    waiting_for_data += other.waiting_for_data;
    alu_busy += other.alu_busy;
    texture_unit += other.texture_unit;
    outstanding_misses += other.outstanding_misses;
    merge_slots += other.merge_slots;
    latency_fifo += other.latency_fifo;
    idle += other.idle;
    return *this;
}

ReservationFailures& ReservationFailures::operator+=(const ReservationFailures& other)
{
    no_entry += other.no_entry;
    no_merge_slot += other.no_merge_slot;
    return *this;
}

double CoreResult::average_resident_warps() const
{
    return ratio(occupancy_over_time.warp_cycles, cycles.value);
}

double SimulationResult::average_resident_warps() const
{
    std::int64_t warp_cycles = 0;
    std::int64_t busy = 0;
    for (const CoreResult& core : cores) {
        warp_cycles += core.occupancy_over_time.warp_cycles;
        busy += core.cycles.value;
    }
    return ratio(warp_cycles, busy);
}

const CacheStatistics& SimulationResult::level(std::string_view name) const
{
    static const CacheStatistics none;
    const auto found = std::ranges::find(behind, name, &LevelStatistics::name);
    return found == behind.end() ? none : found->counts;
}

double achieved_occupancy(double average_resident_warps, const SimulationOptions& options)
{
    return average_resident_warps /
           std::max(options.machine.warps_per_core, options.kernel.occupancy.value_or(0));
}

std::optional<Nanoseconds> SimulationResult::time(const Machine& machine) const
{
    if (!cycles) {
        return std::nullopt;
    }
    return Nanoseconds{static_cast<double>(cycles->value) * 1000.0 / machine.timing.clock_mhz +
                       machine.timing.launch_ns};
}

} // namespace texelscope::sim
