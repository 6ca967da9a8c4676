#include "sim/options/options.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <limits>

namespace texelscope::sim {

SimulationOptions one_read_at_a_time(SimulationOptions options)
{
    options.instructions = {};
    options.timing.texture_lanes = 0;
    options.timing.launch_ns = 0;
    options.warm_l2 = false;
    return options;
}

void validate(const SimulationOptions& options)
{
    const auto within = [](const char* key, auto number, double least,
                           double most = std::numeric_limits<double>::infinity()) {
        const auto value = static_cast<double>(number);
        if (!(value >= least)) {
            throw bad_input(fmt::format("{} is below {}", value, least), key, "use a larger value");
        }
        if (!(value <= most)) {
            throw bad_input(fmt::format("{} is above {}", value, most), key, "use a smaller value");
        }
    };
    constexpr double most_registers = 1 << 20;
    within("cores", options.cores, 1, 4096);
    within("cores.simulated", options.simulated_cores, 0, options.cores);
    if (options.simulated_cores > 0 && options.simulated_cores < options.cores &&
        options.dispatch == Dispatch::dynamic) {
        throw bad_input("cores that take work-groups as they are free cannot be simulated without the others",
                        "cores.simulated", "set it to 0, or use schedule.dispatch=round-robin");
    }
    within("warp.size", options.warp_size, 1, 65536);
    within("warp.limit", options.warps_per_core, 1, 65536);
    within("registers.per_core", options.registers_per_core, 0);
    within("registers.step", options.register_step, 1, 1024);
    within("registers.partitions", options.register_partitions, 1, 64);
    within("registers.warps", options.compiled_warps, 0, 65536);
    within("local.warps", options.local_warps, 0, 65536);
    within("registers.per_item", options.registers_per_item, 0, most_registers);
    within("occupancy", options.occupancy.value_or(1), 1, 65536);
    validate(options.l1, "l1");
    if (options.l2.capacity.value != 0) {
        validate(options.l2, "l2");
    }
    if (options.buffers.kind == BufferPath::Kind::own_l1) {
        validate(options.first_level(true), "limits.buffer_l1");
    }
    if (options.buffers.kind == BufferPath::Kind::l2 && !options.has_l2()) {
        throw bad_input("there is no cache that buffers are read through",
                        "limits.buffer_l1 is 0 and so is l2.capacity", "give one of them");
    }
    const Timing& timing = options.timing;
    constexpr double tiny = 1e-6;
    constexpr double longest_latency = 1e9;
    within("clock", timing.clock_mhz, tiny);
    within("latency.l1", timing.hit_latency.value, 1, longest_latency);
    within("latency.l2", timing.l2_latency.value, 1, longest_latency);
    within("latency.memory", timing.memory_latency.value, 1, longest_latency);
    within("bandwidth.lookups", timing.lookups_per_cycle, tiny);
    within("bandwidth.l2", timing.l2_bytes_per_cycle, tiny);
    within("bandwidth.memory", timing.memory_bytes_per_cycle, tiny);
    if (timing.local_bytes_per_cycle != 0) {
        within("bandwidth.local", timing.local_bytes_per_cycle, tiny);
    }
    within("outstanding_misses", timing.outstanding_misses, 1);
    within("misses.merges", timing.misses_merges, 0);
    within("latency_fifo", timing.latency_fifo, 0);
    within("schedule.fetch_group", options.fetch_group, 1);
    within("alu.lanes", timing.alu_lanes, 0);
    within("alu.half_lanes", timing.half_lanes, 0);
    within("alu.cycles_per_step", timing.alu_cycles_per_step, 0, longest_latency);
    within("texture.lanes", timing.texture_lanes, 0);
    within("texture.block", timing.texture_block.value, 1);
    within("launch", timing.launch_ns, 0, longest_latency);
    const Instructions& instructions = options.instructions;
    within("issue.partitions", instructions.partitions, 1, 64);
    within("issue.reads_in_flight", instructions.reads_in_flight, 1, 1024);
    within("issue.read", instructions.read, 0, longest_latency);
    within("issue.store", instructions.store, 0, longest_latency);
    within("issue.exponential", instructions.exponential, 0, longest_latency);
    within("issue.gap", instructions.gap, 1, longest_latency);
    within("unroll.iterations", instructions.unroll_iterations, 0);
    within("unroll.size", instructions.unroll_size, 0);
    within("groups.limit", options.groups_per_core, 0);
    within("registers.spilled", options.spilled_registers, 0, most_registers);
    if (options.spilled_registers > 0 && options.registers_per_item == 0) {
        throw bad_input("registers are spilled, and nothing says how many a work-item keeps", "registers.spilled",
                        "give registers.per_item, too");
    }
    if (options.model_overlap != 0) {
        within("model.overlap", options.model_overlap, 1, 64);
    }
}

} // namespace texelscope::sim
