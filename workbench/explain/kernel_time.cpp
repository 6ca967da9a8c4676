#include "workbench/explain/kernel_time.hpp"

#include "devices/launch/launch_options.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/simulate.hpp"
#include "sim/timed/spill_code.hpp"
#include "traces/access_walk.hpp"
#include "workbench/study/stall_reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace texelscope::workbench::explain {
namespace {

using study::all_stalls;

constexpr double bytes_of_word = 4;

/// Words of 32 bits that all work-items store and load for want of registers.
double spilled_words(const KernelWork& work, const SimulationOptions& options)
{
    return options.kernel.spill_accesses.value_or(0) * static_cast<double>(work.items);
}

/// Cycles in which the bytes of spilled registers pass the port of the stores, and memory where
/// they do not fit into the last level of cache: the slower of the two.
double spill_cycles(const KernelWork& work, const SimulationOptions& options)
{
    const double bytes = bytes_of_word * spilled_words(work, options);
    return std::max(bytes / options.machine.shared_level().bytes_per_cycle,
                    bytes * spilled_past_caches(options) /
                        options.machine.timing.memory_bytes_per_cycle);
}

std::int64_t steps_of(const TraceSource& source, int warp_size)
{
    std::int64_t steps = 0;
    AccessWalk walk(source, warp_size);
    while (walk.next()) {
        ++steps;
    }
    return steps;
}

/// Of an operation in half precision, in units of one in single precision.
double half_operation(const Machine& machine)
{
    return machine.timing.half_lanes && machine.timing.alu_lanes
               ? cycles_of_operation(machine, Precision::fp16, false)
               : 1;
}

double ns_of(double cycles, const Machine& machine)
{
    return cycles * 1000 / machine.timing.clock_mhz;
}

/// Operations of arithmetic, as KernelDemand::spill_accesses counts them, that a work-item
/// executes.
double operations_of_item(const KernelWork& work)
{
    return work.executed ? static_cast<double>(work.executed->floats + work.executed->halves) /
                               static_cast<double>(std::max<std::int64_t>(1, work.items))
                         : 0;
}

/// Bytes that came to the first level, over those that could have come in the launch's time.
double bandwidth_share(double bytes, double bytes_per_cycle, const SimulationResult& result)
{
    const auto cycles = static_cast<double>(result.cycles->value);
    return cycles > 0 ? bytes / (bytes_per_cycle * cycles) : 0;
}

std::string percent(double share)
{
    return fmt::format("{:.0f} %", 100 * share);
}

/// What a launch waits for whose warps all wait for data.
KernelBound waiting(const SimulationResult& result, const SimulationOptions& options, double share)
{
    const Machine& machine = options.machine;
    constexpr double taken = 0.7; // more than that is seldom had
    const double memory = bandwidth_share(static_cast<double>(result.memory_bytes.value),
                                          machine.timing.memory_bytes_per_cycle, result);
    if (memory >= taken) {
        return {"memory-bandwidth",
                "the bandwidth of memory, " + percent(memory) + " of which is taken"};
    }
    const std::vector<CacheLevel> levels = machine.levels();
    for (std::size_t i = 1; i < levels.size(); ++i) {
        // Each lookup asks for what the level before fetches at a time.
        const double bytes = static_cast<double>(result.level(levels[i].name).lookups *
                                                 levels[i - 1].geometry.granule().value);
        const double caches = levels[i].shared ? 1 : machine.cores;
        const double of_level = bandwidth_share(bytes, levels[i].bytes_per_cycle * caches, result);
        if (of_level >= taken) {
            return {"cache-bandwidth", fmt::format("the bandwidth of {}, {} of which is taken",
                                                   levels[i].name, percent(of_level))};
        }
    }
    const double misses = result.l1.miss_rate();
    const double resident = result.average_resident_warps();
    if (misses >= 0.5) {
        return {"l1-misses",
                fmt::format("misses in L1: {} of its lookups miss, and {:.1f} warps of a core do "
                            "not hide their latency ({} of the cycles wait for data)",
                            percent(misses), resident, percent(share))};
    }
    return {"latency",
            fmt::format("the latency of reads, which {:.1f} warps of a core do not hide ({} of the "
                        "cycles wait for data)",
                        resident, percent(share))};
}

} // namespace

bool has_buffers(const TraceSource& source)
{
    return std::ranges::any_of(source.images(), &Image::buffer);
}

double arithmetic_instructions(const KernelWork& work, const SimulationOptions& options)
{
    const Instructions& cost = options.machine.instructions;
    double sum = spilled_words(work, options);
    if (work.executed) {
        const ExecutedOperations& executed = *work.executed;
        const double addresses = static_cast<double>(work.reads) * std::max(0.0, cost.read - 1);
        sum += static_cast<double>(executed.floats) +
               half_operation(options.machine) * static_cast<double>(executed.halves) +
               cost.exponential * static_cast<double>(executed.specials) +
               std::max(0.0, static_cast<double>(executed.integers) - addresses);
    }
    return sum;
}

KernelWork part_of(KernelWork work, double share)
{
    const auto scale = [&](std::int64_t& count) {
        count = std::llround(static_cast<double>(count) * share);
    };
    scale(work.items);
    scale(work.reads);
    if (work.executed) {
        ExecutedOperations& executed = *work.executed;
        for (std::int64_t* count : {&executed.floats, &executed.halves, &executed.specials,
                                    &executed.integers, &executed.others}) {
            scale(*count);
        }
    }
    work.items = std::max<std::int64_t>(1, work.items);
    return work;
}

SimulationOptions options_of(const TraceSource& source, const KernelWork& work,
                             const DeviceProfile& device, int more_warps)
{
    SimulationOptions options = options_for(
        ForeignKernel{work.compiled ? &*work.compiled : nullptr, operations_of_item(work),
                      work.local_bytes, work.items_of_group, has_buffers(source)},
        device);
    if (options.kernel.compiled_warps) {
        *options.kernel.compiled_warps += more_warps;
    }
    options.mode.timed = true;
    options.mode.miss_kinds = false;
    return options;
}

KernelTime kernel_time(const TraceSource& source, const KernelWork& work,
                       const DeviceProfile& device, int more_warps,
                       std::span<SimulationObserver* const> observers, const StopToken& stop)
{
    const bool by_hand = device.simulation.kernel.alu_cycles_per_step != 0;
    KernelTime time;
    time.options = options_of(source, work, device, more_warps);
    SimulationOptions& options = time.options;
    const Machine& machine = options.machine;
    time.spills_ns = ns_of(spill_cycles(work, options), machine);
    // Warps execute an instruction together: a work-item's part is one lane.
    const double arithmetic =
        issue_cycles(machine, arithmetic_instructions(work, options) / machine.warp_size);
    const std::int64_t steps = steps_of(source, machine.warp_size);
    if (steps == 0) {
        time.reading_ns =
            ns_of(arithmetic / (machine.cores * machine.instructions.partitions), machine) +
            machine.timing.launch_ns;
        return time;
    }
    if (!by_hand) { // unless the user has set it
        options.kernel.alu_cycles_per_step = arithmetic / static_cast<double>(steps);
    }
    time.simulation = simulate(source, options, observers, stop);
    time.reading_ns = time.simulation->time(machine)->value;
    return time;
}

KernelBound bound_of(const KernelTime& time)
{
    if (time.spills_ns > time.reading_ns) {
        return {"spills", "spilled registers, which take " + percent(time.spills_ns / time.ns()) +
                              " of the time"};
    }
    if (!time.simulation) {
        return {"arithmetic", "arithmetic: it reads nothing that caches hold"};
    }
    const SimulationResult& result = *time.simulation;
    const StallStatistics stalls = all_stalls(result);
    const study::StallReason* most = nullptr;
    for (const study::StallReason& reason : study::stall_reasons) {
        if (most == nullptr || reason.share(stalls) > most->share(stalls)) {
            most = &reason;
        }
    }
    const double share = most->share(stalls);
    const auto of_cycles = [&](const char* name, const char* what) {
        return KernelBound{name, fmt::format("{} ({} of the cycles)", what, percent(share))};
    };
    const auto is = [&](std::int64_t StallStatistics::*cycles) { return most->cycles == cycles; };
    using S = StallStatistics;
    return is(&S::waiting_for_data) ? waiting(result, time.options, share)
           : is(&S::alu_busy)       ? of_cycles("arithmetic", "arithmetic")
           : is(&S::texture_unit)   ? of_cycles("texture-unit", "issue of the texture unit")
           : is(&S::issued)         ? of_cycles("issue", "issue of reads")
           : is(&S::idle) ? of_cycles("idle", "too few work-groups: cores have nothing to do")
                          : of_cycles("misses-under-way", most->words);
}

} // namespace texelscope::workbench::explain
