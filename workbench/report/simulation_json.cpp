#include "workbench/report/simulation_json.hpp"

#include "workbench/report/machine_json.hpp"
#include "workbench/study/stall_reasons.hpp"

namespace texelscope::workbench::report {
namespace {

ordered_json cache_json(const CacheStatistics& s, bool texel_reads)
{
    ordered_json out;
    if (texel_reads) {
        out["texel_reads"] = s.texel_reads;
    }
    out["lookups"] = s.lookups;
    out["hits"] = s.hits;
    out["misses"] = s.misses();
    const auto kind = [&](std::int64_t count) {
        return s.kinds_known() ? ordered_json(count) : ordered_json();
    };
    out["compulsory"] = kind(s.compulsory);
    out["capacity"] = kind(s.capacity);
    out["conflict"] = kind(s.conflict);
    out["evictions"] = s.evictions;
    out["bytes_filled"] = s.bytes_filled.value;
    return out;
}

ordered_json failures_json(const ReservationFailures& f)
{
    return {{"no_entry", f.no_entry}, {"no_merge_slot", f.no_merge_slot}};
}

/// Two arrays of one length: from cycle[i] on there are warps[i] resident warps.
ordered_json series_json(const OccupancyOverTime& series)
{
    ordered_json cycle = ordered_json::array();
    ordered_json warps = ordered_json::array();
    for (const OccupancyOverTime::Point& point : series.points) {
        cycle.push_back(point.cycle);
        warps.push_back(point.warps);
    }
    return {{"cycle", cycle}, {"warps", warps}};
}

} // namespace

ordered_json stalls_json(const StallStatistics& stalls)
{
    ordered_json out;
    for (const StallReason& reason : stall_reasons) {
        out[reason.member] = stalls.*reason.cycles;
    }
    return out;
}

ordered_json simulation_json(const SimulationResult& result, const SimulationOptions& options,
                             const DeviceProfile& device, const std::string& source)
{
    ordered_json out;
    out["device"] = device.name;
    out["source"] = source;
    out["settings"] = settings_json(options, device.model);
    out["launch"] = {{"groups", result.groups},
                     {"warps", result.warps},
                     {"steps", result.steps},
                     {"simulated_steps", result.simulated_steps},
                     {"border_reads", result.border_reads}};
    out["l1"] = cache_json(result.l1, true);
    out["l2"] = cache_json(result.l2(), false);
    for (const LevelStatistics& level : result.behind) {
        out[member_of(level.name)] = cache_json(level.counts, false);
    }
    out["memory"] = {{"bytes", result.memory_bytes.value}};
    out["cycles"] = result.cycles ? ordered_json(result.cycles->value) : ordered_json();
    const auto time = result.time(options.machine);
    out["ns"] = time ? ordered_json(time->value) : ordered_json();
    out["occupancy"] = result.occupancy.warps;
    add_occupancy(out, result.occupancy, options);
    out["occupancy_groups"] = result.occupancy_groups;
    if (result.cycles) {
        const double average = result.average_resident_warps();
        out["average_resident_warps"] = average;
        out["achieved_occupancy"] = achieved_occupancy(average, options);
    }
    ordered_json cores = ordered_json::array();
    for (const CoreResult& core : result.cores) {
        ordered_json one{{"warps", core.warps},
                         {"occupancy_groups", core.occupancy_groups},
                         {"l1", cache_json(core.l1, true)}};
        if (result.cycles) {
            one["cycles"] = core.cycles.value;
            one["stalls"] = stalls_json(core.stalls);
            one["reservation_failures"] = failures_json(core.reservation_failures);
            one["average_resident_warps"] = core.average_resident_warps();
            one["achieved_occupancy"] = achieved_occupancy(core.average_resident_warps(), options);
            one["occupancy_over_time"] = series_json(core.occupancy_over_time);
        }
        cores.push_back(std::move(one));
    }
    out["cores"] = cores;
    return out;
}

} // namespace texelscope::workbench::report
