#include "sim/options/options.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::sim {

int registers_taken(const SimulationOptions& options)
{
    constexpr int half = 32; // of what a work-item can have
    const int needed = options.registers_per_item;
    if (options.register_rule == RegisterRule::pool || needed == 0) {
        return needed;
    }
    return needed <= half ? half : 2 * half;
}

Occupancy occupancy(const SimulationOptions& options)
{
    if (options.occupancy) {
        return {*options.occupancy, Occupancy::Limiter::override_value};
    }
    const std::int64_t per_warp = std::int64_t{registers_taken(options)} * options.warp_size;
    if (options.registers_per_core == 0 || per_warp == 0) {
        return {options.warps_per_core, Occupancy::Limiter::warp_limit};
    }
    const std::int64_t fit = std::max<std::int64_t>(1, options.registers_per_core / per_warp);
    if (fit >= options.warps_per_core) {
        return {options.warps_per_core, Occupancy::Limiter::warp_limit};
    }
    return {static_cast<int>(fit), Occupancy::Limiter::registers};
}

std::string to_string(Occupancy::Limiter limiter)
{
    switch (limiter) {
    case Occupancy::Limiter::registers:
        return "registers";
    case Occupancy::Limiter::warp_limit:
        return "warp limit";
    case Occupancy::Limiter::override_value:
        return "override";
    }
    return "";
}

void validate(const SimulationOptions& options)
{
    const auto at_least = [](const char* key, double value, double least) {
        if (!(value >= least)) {
            throw bad_input(fmt::format("{} is below {}", value, least), key, "use a larger value");
        }
    };
    at_least("cores", options.cores, 1);
    at_least("warp.size", options.warp_size, 1);
    at_least("warp.limit", options.warps_per_core, 1);
    at_least("registers.per_core", static_cast<double>(options.registers_per_core), 0);
    at_least("registers.per_item", options.registers_per_item, 0);
    at_least("occupancy", options.occupancy.value_or(1), 1);
    const auto at_most = [](const char* key, double value, double most) {
        if (!(value <= most)) {
            throw bad_input(fmt::format("{} is above {}", value, most), key, "use a smaller value");
        }
    };
    at_most("cores", options.cores, 4096);
    at_most("warp.size", options.warp_size, 65536);
    at_most("warp.limit", options.warps_per_core, 65536);
    at_most("occupancy", options.occupancy.value_or(1), 65536);
    validate(options.l1, "l1");
    if (options.l2.capacity.value != 0) {
        validate(options.l2, "l2");
    }
    const Timing& timing = options.timing;
    constexpr double tiny = 1e-6;
    at_least("clock", timing.clock_mhz, tiny);
    at_least("latency.l1", static_cast<double>(timing.hit_latency.value), 1);
    at_least("latency.l2", static_cast<double>(timing.l2_latency.value), 1);
    at_least("latency.memory", static_cast<double>(timing.memory_latency.value), 1);
    constexpr double longest_latency = 1e9;
    at_most("latency.l1", static_cast<double>(timing.hit_latency.value), longest_latency);
    at_most("latency.l2", static_cast<double>(timing.l2_latency.value), longest_latency);
    at_most("latency.memory", static_cast<double>(timing.memory_latency.value), longest_latency);
    at_most("alu.cycles_per_step", timing.alu_cycles_per_step, longest_latency);
    at_least("bandwidth.lookups", timing.lookups_per_cycle, tiny);
    at_least("bandwidth.l2", timing.l2_bytes_per_cycle, tiny);
    at_least("bandwidth.memory", timing.memory_bytes_per_cycle, tiny);
    at_least("outstanding_misses", timing.outstanding_misses, 1);
    at_least("misses.merges", timing.misses_merges, 0);
    at_least("latency_fifo", timing.latency_fifo, 0);
    at_least("schedule.fetch_group", options.fetch_group, 1);
    at_least("alu.lanes", timing.alu_lanes, 0);
    at_least("alu.cycles_per_step", timing.alu_cycles_per_step, 0);
    const FrontEnd& front_end = options.front_end;
    at_least("model.lanes", front_end.lanes, 0);
    at_least("model.block", static_cast<double>(front_end.block.value), 1);
    at_least("model.reads_in_flight", front_end.reads_in_flight, 1);
    at_least("model.issue", front_end.issue_cycles, 0);
    at_most("model.issue", front_end.issue_cycles, longest_latency);
    at_least("model.launch", front_end.launch_ns, 0);
    at_most("model.launch", front_end.launch_ns, longest_latency);
    at_least("model.partitions", front_end.partitions, 1);
    if (front_end.overlap != 0) {
        at_least("model.overlap", front_end.overlap, 1);
    }
    at_most("model.overlap", front_end.overlap, 64);
}

} // namespace texelscope::sim
