#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "python/arrays.hpp"
#include "python/bind_launch.hpp"
#include "python/long_call.hpp"
#include "python/tables.hpp"
#include "workbench/plots/simulation_timeline.hpp"
#include "workbench/report/cache_table.hpp"
#include "workbench/study/stall_reasons.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <map>

namespace texelscope::python {
namespace {

/// A count where misses are told apart by their kind.
/// Nothing where the simulation did not tell kinds of misses apart.
template <std::int64_t CacheStatistics::*kind>
std::optional<std::int64_t> of_kind(const CacheStatistics& cache)
{
    return cache.kinds_known() ? std::optional(cache.*kind) : std::nullopt;
}

ResultTable table_of(const Simulation& simulation)
{
    return cache_table(simulation.result);
}

std::string heading_of(const Simulation& simulation)
{
    const SimulationResult& result = simulation.result;
    const auto time = result.time(simulation.options.machine);
    return fmt::format("{} work-groups, {} warps, {} warp accesses{}", result.groups, result.warps,
                       result.steps,
                       time ? fmt::format("; {:.3g} us", time->value / 1000) : std::string());
}

/// What the cores spent their cycles on, as shares by reason; empty in untimed mode.
std::map<std::string, double> stalls_of(const Simulation& simulation)
{
    const StallStatistics sum = all_stalls(simulation.result);
    std::map<std::string, double> shares;
    if (simulation.result.cycles) {
        for (const StallReason& reason : stall_reasons) {
            shares[reason.name] = reason.share(sum);
        }
    }
    return shares;
}

} // namespace

Simulation simulated(const SimulatedLaunch& launch, bool timed, const GivenPath& timeline)
{
    const bool in_time = launch.options.mode.timed || timed;
    // In timed mode, reads of buffers take time: they are simulated as rows of images in the launch
    // `in_time`. Untimed, buffers are not seen.
    const bool with_buffers = in_time && launch.in_time;
    Simulation simulation{{}, with_buffers ? launch.in_time->options : launch.options};
    simulation.options.mode.timed = in_time;
    if (timeline && !simulation.options.mode.timed) {
        throw bad_input("a timeline is of the timed mode", "timeline", "give timed=True, too");
    }
    const TraceSource& source = with_buffers ? *launch.in_time->source : *launch.source;
    LongCall call;
    simulation.result = call.run([&] {
        if (!timeline) {
            return simulate(source, simulation.options, {}, call.stop());
        }
        check_writable(timeline->string());
        SimulationTimeline observer(simulation.options);
        SimulationResult result =
            sim::simulate_in_time(source, simulation.options, observer, call.stop());
        write_file_atomically(timeline->string(),
                              observer.bytes(launch.text + " on " + launch.device));
        return result;
    });
    return simulation;
}

void add_simulations(nb::module_& module)
{
    nb::class_<CacheStatistics>(module, "CacheStatistics",
                                "Counters of one cache, or their sum over the cores.")
        .def_ro("texel_reads", &CacheStatistics::texel_reads,
                "Lanes that read inside of their image (L1 alone).")
        .def_ro("lookups", &CacheStatistics::lookups,
                "Granules (lines or sectors) of warp accesses that were asked for.")
        .def_ro("hits", &CacheStatistics::hits, "Lookups that found theirs.")
        .def_prop_ro("misses", &CacheStatistics::misses, "Lookups that did not.")
        .def_prop_ro("miss_rate", &CacheStatistics::miss_rate, "Misses per lookup.")
        .def_prop_ro("compulsory", &of_kind<&CacheStatistics::compulsory>,
                     "None where kinds of misses are not told apart.")
        .def_prop_ro("capacity", &of_kind<&CacheStatistics::capacity>)
        .def_prop_ro("conflict", &of_kind<&CacheStatistics::conflict>)
        .def_ro("evictions", &CacheStatistics::evictions, "Lines that gave way to others.")
        .def_prop_ro("bytes_filled",
                     [](const CacheStatistics& self) { return self.bytes_filled.value; })
        .def("__repr__", [](const CacheStatistics& self) {
            return fmt::format("CacheStatistics(lookups={}, hits={}, misses={})", self.lookups,
                               self.hits, self.misses());
        });

    const auto result = [](auto SimulationResult::*member) {
        return [member](const Simulation& self) { return self.result.*member; };
    };
    nb::class_<Simulation> simulation(
        module, "Simulation", "What the caches of a simulated device did, and in timed mode when.");
    simulation
        .def_prop_ro("l1", result(&SimulationResult::l1),
                     "CacheStatistics, the sum over the cores.")
        .def_prop_ro(
            "l2", [](const Simulation& self) { return self.result.l2(); },
            "CacheStatistics; all zero where there is no L2.")
        .def_prop_ro("groups", result(&SimulationResult::groups),
                     "Work-groups that read something.")
        .def_prop_ro("warps", result(&SimulationResult::warps), "Warps that read something.")
        .def_prop_ro("steps", result(&SimulationResult::steps), "Warp accesses.")
        .def_prop_ro("border_reads", result(&SimulationResult::border_reads),
                     "Reads of lanes outside of their image that touched no memory.")
        .def_prop_ro(
            "memory_bytes", [](const Simulation& self) { return self.result.memory_bytes.value; },
            "Bytes that came from memory.")
        .def_prop_ro(
            "cycles",
            [](const Simulation& self) {
                return self.result.cycles ? std::optional(self.result.cycles->value) : std::nullopt;
            },
            "Core cycles of the launch; None in untimed mode.")
        .def_prop_ro(
            "ns",
            [](const Simulation& self) {
                const auto time = self.result.time(self.options.machine);
                return time ? std::optional(time->value) : std::nullopt;
            },
            "Time of the launch in nanoseconds; None in untimed mode.")
        .def_prop_ro(
            "resident_warps", [](const Simulation& self) { return self.result.occupancy.resident; },
            "Warps that a core holds at a time.")
        .def_prop_ro(
            "occupancy_limiter",
            [](const Simulation& self) { return to_string(self.result.occupancy.limiter); })
        .def_prop_ro(
            "occupancy_reason",
            [](const Simulation& self) { return reason(self.result.occupancy, self.options); },
            "What keeps more warps from being there, with its numbers.")
        .def_prop_ro("stalls", &stalls_of,
                     "Timed mode: shares of the cycles of all issue ports by what they went to; "
                     "they sum to 1.")
        .def("__repr__",
             [](const Simulation& self) { return "Simulation(" + heading_of(self) + ")"; });
    add_table_members(simulation, table_of, heading_of);
}

} // namespace texelscope::python
