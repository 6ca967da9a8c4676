#include "sim/simulate.hpp"

#include "base/error.hpp"
#include "sim/observers/heat_map_observer.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/repetition/lockstep.hpp"
#include "sim/repetition/streamed.hpp"
#include "sim/simulate_next.hpp"
#include "sim/timed/timed.hpp"
#include "sim/timed/timed_memories.hpp"

#include <algorithm>
#include <stdexcept>

namespace texelscope::sim {

namespace {

/// Warps of one work-group; 0 where there are no work-groups. Warps that read nothing count, too,
/// where the source has a launch, which tells of them.
std::int64_t warps_of_group(const TraceSource& source, int warp_size)
{
    if (source.launch() != nullptr) {
        return ceil_div(source.launch()->group_size(), warp_size);
    }
    const std::int64_t first = source.next_group(0);
    if (first >= source.group_count()) {
        return 0;
    }
    const std::vector<std::int32_t> warps = source.warps(first, warp_size);
    return warps.empty() ? 0 : warps.back() + 1;
}

SimulationResult begin(const TraceSource& source, const SimulationOptions& options, bool observed)
{
    validate(options);
    if (observed && std::ranges::any_of(source.images(), [&](const Image& image) {
            return options.kernel.past_l1(image.buffer);
        })) {
        throw bad_input("reads of buffers that go another way than those of images are simulated "
                        "with nobody watching",
                        {}, "put the inputs into images");
    }
    if (!options.mode.timed && options.machine.dispatch == Dispatch::dynamic) {
        throw bad_input("dynamic asks which core frees up first, and untimed mode has no time",
                        "schedule.dispatch", "use mode=timed or schedule.dispatch=round-robin");
    }
    SimulationResult result;
    result.occupancy = occupancy(options, warps_of_group(source, options.machine.warp_size));
    return result;
}

/// Adds the cores up, and leaves out what was found but not asked for.
void finish(const SimulationOptions& options, SimulationResult& result)
{
    if (!options.mode.miss_kinds) {
        for (CoreResult& core : result.cores) {
            core.l1 = core.l1.without_kinds();
        }
        for (LevelStatistics& level : result.behind) {
            level.counts = level.counts.without_kinds();
        }
    }
    for (const CoreResult& core : result.cores) {
        result.l1 += core.l1;
        result.warps += core.warps;
        result.occupancy_groups += core.occupancy_groups;
    }
}

SimulationResult run(const TraceSource& source, const SimulationOptions& options,
                     std::span<SimulationObserver* const> observers, const StopToken& stop,
                     SequenceMemory* sequence, TimedObserver* in_time = nullptr)
{
    SimulationResult result = begin(source, options, !observers.empty());
    SimulationOptions asked = options;
    asked.mode.miss_kinds =
        options.mode.miss_kinds || !observers.empty(); // observers are told the kinds
    // Where nobody observes, a launch is simulated by patterns of lines, not lane by lane.
    const auto program = observers.empty() && source.launch() != nullptr
                             ? LaunchProgram::make(*source.launch(), options.machine.warp_size)
                             : nullptr;
    const auto run_in_time = [&](auto& memory) {
        run_timed(source, asked, memory, result, in_time);
        memory.finish(result);
    };
    if (program && options.mode.timed) {
        ProgramMemory memory(source.images(), asked, *program, stop, sequence);
        run_in_time(memory);
    } else if (program) {
        run_lockstep(source, asked, *program, stop, result, sequence);
    } else if (options.mode.timed) {
        StreamedMemory memory(source, asked, observers, stop, sequence);
        run_in_time(memory);
    } else {
        run_streamed(source, asked, observers, stop, result, sequence);
    }
    finish(options, result);
    return result;
}

} // namespace

SimulationResult simulate(const TraceSource& source, const SimulationOptions& options,
                          std::span<SimulationObserver* const> observers, const StopToken& stop)
{
    return run(source, options, observers, stop, nullptr);
}

SimulationResult simulate_in_time(const TraceSource& source, SimulationOptions options,
                                  TimedObserver& observer, const StopToken& stop)
{
    options.mode.timed = true;
    return run(source, options, {}, stop, nullptr, &observer);
}

SimulationResult simulate_next(const TraceSource& source, SimulationOptions options,
                               SequenceMemory& sequence, const StopToken& stop)
{
    if (sequence.bases.size() != source.images().size()) {
        throw std::invalid_argument("simulate_next: an address for each image");
    }
    options.mode.miss_kinds = false;
    options.mode.warm_l2 = false; // what is there is known
    return run(source, options, {}, stop, &sequence);
}

HeatMapResult heat_maps(const TraceSource& source, const SimulationOptions& options,
                        const HeatRequest& request, const StopToken& stop)
{
    const bool reuse =
        request.wants(HeatQuantity::reuses) || request.wants(HeatQuantity::reuse_distances);
    if (!options.mode.timed && !reuse && request.selection == AccessSelection{} &&
        source.launch() != nullptr) {
        if (const auto program = LaunchProgram::make(*source.launch(), options.machine.warp_size)) {
            SimulationOptions counting = options;
            counting.mode.miss_kinds =
                counting.mode.miss_kinds || request.wants(HeatQuantity::compulsory) ||
                request.wants(HeatQuantity::capacity) || request.wants(HeatQuantity::conflict);
            HeatMapResult result{begin(source, counting, true), {}, 0};
            result.maps =
                run_lockstep(source, counting, *program, request, stop, result.simulation);
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
