#include "sim/simulate.hpp"

#include "base/error.hpp"
#include "sim/heat_maps.hpp"
#include "sim/memory/run.hpp"
#include "sim/observers/heat_map_observer.hpp"
#include "sim/repetition/lockstep.hpp"
#include "sim/repetition/streamed.hpp"
#include "sim/schedule/untimed.hpp"
#include "sim/timed/counted_memory.hpp"
#include "sim/timed/timed.hpp"
#include "sim/timed/watched_memory.hpp"

namespace texelscope::sim {

std::optional<Nanoseconds> SimulationResult::time(const SimulationOptions& options) const
{
    if (!cycles) {
        return std::nullopt;
    }
    return Nanoseconds{static_cast<double>(cycles->value) * 1000.0 / options.timing.clock_mhz};
}

MemoryHierarchy::Outcome Run::access(int core, WarpId warp, const WarpAccess& access)
{
    poll_();
    const MemoryHierarchy::Outcome outcome = memory.access(core, access);
    const std::int64_t turn = result.steps++;
    result.border_reads += outcome.border_reads;
    if (!observers_.empty() && !outcome.lanes.empty()) {
        for (SimulationObserver* observer : observers_) {
            observer->on_access(core, warp.group, warp.warp, access.step, turn, outcome.lanes);
        }
        for (LookupEvent event : outcome.lookups) {
            event.group = warp.group;
            event.warp = warp.warp;
            event.turn = turn;
            for (SimulationObserver* observer : observers_) {
                observer->on_lookup(event);
            }
        }
    }
    return outcome;
}

void run_observed(Run& run)
{
    std::vector<UntimedCore> cores;
    for (int core = 0; core < run.options.cores; ++core) {
        cores.emplace_back(run.source, run.options, core);
    }
    run_cores(cores, [&](int core, WarpId warp, const WarpAccess& access) { run.access(core, warp, access); });
    add_cores(cores, run.result);
}

namespace {

/// With nobody watching the single lookups, untimed.
void run_counting(const TraceSource& source, const SimulationOptions& options, const StopToken& stop,
                  SimulationResult& result)
{
    if (const Launch* launch = source.launch()) {
        if (const auto program = LaunchProgram::make(*launch, options.warp_size)) {
            run_lockstep(source, options, *program, stop, result);
            return;
        }
    }
    run_streamed(source, options, stop, result);
}

/// In time, with nobody watching the single lookups.
void run_timed_counting(const TraceSource& source, const SimulationOptions& options, const StopToken& stop,
                        SimulationResult& result)
{
    if (const Launch* launch = source.launch()) {
        if (const auto program = LaunchProgram::make(*launch, options.warp_size)) {
            ProgramMemory memory(source.images(), options, *program, stop);
            run_timed(source, options, memory, result);
            return memory.finish(result);
        }
    }
    CountedMemory memory(source, options, stop);
    run_timed(source, options, memory, result);
    memory.finish(result);
}

/// Looks at every access, for observers.
void run_watched(const TraceSource& source, const SimulationOptions& options,
                 std::span<SimulationObserver* const> observers, const StopToken& stop, SimulationResult& result)
{
    SimulationOptions watched = options;
    watched.miss_kinds = options.miss_kinds || !observers.empty(); // observers are told the kinds
    Run run(source, watched, observers, stop);
    run.result = result;
    if (options.timed) {
        WatchedMemory memory(run);
        run_timed(source, watched, memory, run.result);
    } else {
        run_observed(run);
    }
    result = std::move(run.result);
    result.simulated_steps = result.steps;
    for (std::size_t core = 0; core < result.cores.size(); ++core) {
        result.cores[core].l1 = run.memory.l1(static_cast<int>(core));
    }
    result.l2 = run.memory.l2();
    result.memory_bytes = run.memory.memory_bytes();
}

SimulationResult begin(const SimulationOptions& options)
{
    validate(options);
    if (!options.timed && options.dispatch == Dispatch::dynamic) {
        throw bad_input("dynamic asks which core frees up first, and untimed mode has no time", "schedule.dispatch",
                        "use mode=timed or schedule.dispatch=round-robin");
    }
    SimulationResult result;
    result.occupancy = occupancy(options);
    return result;
}

/// Adds the cores up, and leaves out what was found but not asked for.
void finish(const SimulationOptions& options, SimulationResult& result)
{
    if (!options.miss_kinds) {
        for (CoreResult& core : result.cores) {
            core.l1 = core.l1.without_kinds();
        }
        result.l2 = result.l2.without_kinds();
    }
    for (const CoreResult& core : result.cores) {
        result.l1 += core.l1;
        result.warps += core.warps;
        result.occupancy_groups += core.occupancy_groups;
    }
}

} // namespace

SimulationResult simulate(const TraceSource& source, const SimulationOptions& options,
                          std::span<SimulationObserver* const> observers, const StopToken& stop)
{
    SimulationResult result = begin(options);
    if (!observers.empty()) {
        run_watched(source, options, observers, stop, result);
    } else if (options.timed) {
        run_timed_counting(source, options, stop, result);
    } else {
        run_counting(source, options, stop, result);
    }
    finish(options, result);
    return result;
}

HeatMapResult heat_maps(const TraceSource& source, const SimulationOptions& options, const HeatRequest& request,
                        const StopToken& stop)
{
    const bool reuse = request.wants(HeatQuantity::reuses) || request.wants(HeatQuantity::reuse_distances);
    if (!options.timed && !reuse && request.selection == AccessSelection{} && source.launch() != nullptr) {
        if (const auto program = LaunchProgram::make(*source.launch(), options.warp_size)) {
            SimulationOptions counting = options;
            counting.miss_kinds = counting.miss_kinds || request.wants(HeatQuantity::compulsory) ||
                                  request.wants(HeatQuantity::capacity) || request.wants(HeatQuantity::conflict);
            HeatMapResult result{begin(counting), {}, 0};
            result.maps = run_lockstep(source, counting, *program, request, stop, result.simulation);
            finish(options, result.simulation);
            result.selected = result.simulation.steps;
            return result;
        }
    }
    HeatMapObserver heat(source.images(), options, request);
    SimulationObserver* observer = &heat;
    HeatMapResult result{simulate(source, options, {&observer, 1}, stop), {}, 0};
    result.maps = heat.maps();
    result.selected = heat.selected();
    return result;
}

} // namespace texelscope::sim
