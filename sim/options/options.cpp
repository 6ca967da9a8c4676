#include "sim/options/options.hpp"

#include "base/error.hpp"
#include "sim/cache/fill_outcome.hpp"

#include <fmt/format.h>

#include <limits>

namespace texelscope::sim {
namespace {

template <class Number>
void within(const char* key, Number number, double least,
            double most = std::numeric_limits<double>::infinity())
{
    const auto value = static_cast<double>(number);
    if (!(value >= least)) {
        throw bad_input(fmt::format("{} is below {}", value, least), key, "use a larger value");
    }
    if (!(value <= most)) {
        throw bad_input(fmt::format("{} is above {}", value, most), key, "use a smaller value");
    }
}

/// Throws bad_input where the number is given and is out of bounds, or 0.
template <class Number>
void within(const char* key, const std::optional<Number>& number, double least,
            double most = std::numeric_limits<double>::infinity())
{
    if (number) {
        within(key, *number, least, most);
        if (*number == 0) {
            throw bad_input("a value of 0 is no value", key, "leave it out");
        }
    }
}

constexpr double tiny = 1e-6;
constexpr double longest_latency = 1e9;
constexpr double most_registers = 1 << 20;
constexpr double most_banks = 4096;
constexpr double most_sector = 4096;

void validate(const Timing& timing)
{
    within("clock", timing.clock_mhz, tiny);
    within("latency.memory", timing.memory_latency.value, 1, longest_latency);
    within("bandwidth.lookups", timing.lookups_per_cycle, tiny);
    within("bandwidth.memory", timing.memory_bytes_per_cycle, tiny);
    within("bandwidth.local", timing.local_bytes_per_cycle, tiny);
    within("outstanding_misses", timing.outstanding_misses, 1);
    within("misses.merges", timing.misses_merges, 0);
    within("latency_fifo", timing.latency_fifo, 0);
    within("alu.lanes", timing.alu_lanes, 0);
    within("alu.half_lanes", timing.half_lanes, 0);
    within("texture.lanes", timing.texture_lanes, 0);
    within("texture.block", timing.texture_block.value, 0);
    within("texture.queue", timing.texture_queue, 0, 4096);
    within("texture.return", timing.texture_return, 0);
    within("buffers.return", timing.buffers.returned, 0);
    within("buffers.latency", timing.buffers.latency, 0, longest_latency);
    within("buffers.lookups", timing.buffers.lookups_per_cycle, 0);
    within("buffers.lanes", timing.buffers.lanes, 0);
    within("buffers.block", timing.buffers.block.value, 0);
    within("memory.channels", timing.memory_channels, 0, most_banks);
    within("memory.interleave", timing.memory_interleave.value, 1);
    within("launch", timing.launch_ns, 0, longest_latency);
}

void validate(const Stores& stores)
{
    within("stores.sector", stores.sector.value, 0, most_sector);
    within("stores.partial", stores.partial, 1, longest_latency);
    within("stores.line", stores.line, 0, longest_latency);
    within("bandwidth.stores", stores.bytes_per_cycle, 0);
}

void validate(const Instructions& instructions)
{
    within("issue.partitions", instructions.partitions, 1, 64);
    within("issue.reads_in_flight", instructions.reads_in_flight, 1, 1024);
    within("issue.read", instructions.read, 0, longest_latency);
    within("issue.store", instructions.store, 0, longest_latency);
    within("issue.exponential", instructions.exponential, 0, longest_latency);
    within("issue.gap", instructions.gap, 1, longest_latency);
    within("unroll.iterations", instructions.unroll_iterations, 0);
    within("unroll.size", instructions.unroll_size, 0);
    within("unroll.slowdown", instructions.unroll_slowdown, 0.01, longest_latency);
}

void validate_levels(const Machine& machine)
{
    if (machine.caches.size() > most_levels) {
        throw bad_input(fmt::format("{} levels of cache", machine.caches.size()), "level",
                        fmt::format("name {} at most", most_levels));
    }
    bool shared = false;
    for (const CacheLevel& level : machine.caches) {
        const bool first = &level == &machine.caches.front();
        const bool named =
            level.name == "L1" || level.name == "L2"; // whose keys have places of their own
        const std::string name = named ? (first ? "l1" : "l2") : "level." + level.name;
        const auto key = [&](const std::string& what) {
            return named ? what + "." + name : name + "." + what;
        };
        if (first || level.geometry.capacity.value != 0) {
            validate(level.geometry, name);
        }
        if (named || level.is_there()) {
            within(key("latency").c_str(), level.latency.value, 1, longest_latency);
            within(key("bandwidth").c_str(), level.bytes_per_cycle, tiny);
            within((name + ".banks").c_str(), level.banks, 0, most_banks);
        }
        if (shared && !level.shared) {
            throw bad_input(
                "a core's own cache behind one that all cores share", name,
                "put it before that one (level.NAME.behind), or set level.NAME.shared=yes");
        }
        shared = shared || level.shared;
    }
}

void validate(const Machine& machine)
{
    within("cores", machine.cores, 1, 4096);
    within("warp.size", machine.warp_size, 1, 65536);
    within("warp.double", machine.double_warp_registers, 0, most_registers);
    within("warp.limit", machine.warps_per_core, 1, 65536);
    within("registers.per_core", machine.registers_per_core, 0);
    within("registers.step", machine.register_step, 1, 1024);
    within("registers.partitions", machine.register_partitions, 1, 64);
    within("groups.limit", machine.groups_per_core, 0);
    within("schedule.fetch_group", machine.fetch_group, 1);
    validate_levels(machine);
    validate(machine.timing);
    validate(machine.stores);
    validate(machine.instructions);
}

void validate(const KernelDemand& kernel)
{
    within("registers.warps", kernel.compiled_warps, 0, 65536);
    within("local.warps", kernel.local_warps, 0, 65536);
    within("registers.per_item", kernel.registers_per_item, 0, most_registers);
    within("registers.spilled", kernel.spilled_registers, 0, most_registers);
    within("registers.spill_accesses", kernel.spill_accesses, 0);
    within("occupancy", kernel.occupancy.value_or(1), 1, 65536);
    within("alu.cycles_per_step", kernel.alu_cycles_per_step, 0, longest_latency);
    if (kernel.spilled_registers > 0 && !kernel.registers_per_item) {
        throw bad_input("registers are spilled, and nothing says how many a work-item keeps",
                        "registers.spilled", "give registers.per_item, too");
    }
}

} // namespace

std::optional<CacheGeometry> first_level(const Machine& machine, const BufferPath& buffers,
                                         bool buffer)
{
    CacheGeometry cache = machine.l1().geometry;
    if (!buffer || buffers.kind == BufferPath::Kind::images_l1) {
        return cache;
    }
    if (buffers.kind == BufferPath::Kind::l2) {
        return std::nullopt;
    }
    cache.capacity = buffers.capacity;
    return cache;
}

SimulationOptions one_read_at_a_time(SimulationOptions options)
{
    options.machine.instructions = {};
    options.machine.timing.texture_lanes = {};
    options.machine.timing.buffers.lanes = {};
    options.machine.timing.launch_ns = 0;
    options.kernel.operation = 1;
    options.mode.warm_l2 = false;
    return options;
}

void validate(const SimulationOptions& options)
{
    const Machine& machine = options.machine;
    validate(machine);
    validate(options.kernel);
    within("cores.simulated", options.mode.simulated_cores, 0, machine.cores);
    if (options.mode.simulated_cores.value_or(machine.cores) < machine.cores &&
        machine.dispatch == Dispatch::dynamic) {
        throw bad_input(
            "cores that take work-groups as they are free cannot be simulated without the others",
            "cores.simulated", "set it to 0, or use schedule.dispatch=round-robin");
    }
    const BufferPath& buffers = options.kernel.buffers;
    if (buffers.kind == BufferPath::Kind::own_l1) {
        validate(*first_level(machine, buffers, true), "limits.buffer_l1");
    }
    if (buffers.kind == BufferPath::Kind::l2 && !machine.goes_past_l1()) {
        throw bad_input("there is no cache that buffers are read through",
                        "limits.buffer_l1 is 0 and so is l2.capacity", "give one of them");
    }
}

} // namespace texelscope::sim
