#include "sim/simulate.hpp"

#include "sim/run.hpp"
#include "sim/untimed.hpp"
#include "traces/error.hpp"

namespace texelscope {

std::optional<Nanoseconds> SimulationResult::time(const SimulationOptions& options) const
{
    if (!cycles) {
        return std::nullopt;
    }
    return Nanoseconds{static_cast<double>(cycles->value) * 1000.0 / options.timing.clock_mhz};
}

MemoryHierarchy::Outcome Run::access(int core, WarpId warp, const WarpAccess& access)
{
    constexpr std::int64_t between_questions = 4096;
    if (result.steps % between_questions == 0 && stop_ && stop_()) {
        throw Interrupted{};
    }
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

void run_untimed(Run& run)
{
    std::vector<UntimedCore> cores;
    for (int core = 0; core < run.options.cores; ++core) {
        cores.emplace_back(run.source, run.options, core);
    }
    // Cores advance in turn, one warp access each, so that the order seen by L2 is defined.
    WarpAccess access;
    WarpId warp;
    std::vector<int> active(cores.size());
    for (std::size_t core = 0; core < active.size(); ++core) {
        active[core] = static_cast<int>(core);
    }
    while (!active.empty()) {
        std::erase_if(active, [&](int core) {
            if (!cores[static_cast<std::size_t>(core)].next(access, warp)) {
                return true;
            }
            run.access(core, warp, access);
            return false;
        });
    }
    for (const UntimedCore& core : cores) {
        CoreResult result;
        result.warps = core.dispatch().warps();
        result.occupancy_groups = core.occupancy_groups();
        run.result.groups += core.dispatch().groups();
        run.result.cores.push_back(result);
    }
}

SimulationResult simulate(const TraceSource& source, const SimulationOptions& options,
                          std::span<SimulationObserver* const> observers, const StopToken& stop)
{
    validate(options);
    if (!options.timed && options.dispatch == Dispatch::dynamic) {
        throw bad_input("dynamic asks which core frees up first, and untimed mode has no time", "schedule.dispatch",
                        "use mode=timed or schedule.dispatch=round-robin");
    }
    Run run(source, options, observers, stop);
    run.result.occupancy = occupancy(options);
    if (options.timed) {
        run_timed(run);
    } else {
        run_untimed(run);
    }
    SimulationResult& result = run.result;
    for (std::size_t core = 0; core < result.cores.size(); ++core) {
        result.cores[core].l1 = run.memory.l1(static_cast<int>(core));
        result.l1 += result.cores[core].l1;
        result.warps += result.cores[core].warps;
        result.occupancy_groups += result.cores[core].occupancy_groups;
    }
    result.l2 = run.memory.l2();
    result.memory_bytes = run.memory.memory_bytes();
    return result;
}

} // namespace texelscope
