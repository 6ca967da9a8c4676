#include "base/number_text.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "workbench/plots/html.hpp"
#include "workbench/report/report_sections.hpp"
#include "workbench/study/stall_reasons.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace texelscope::workbench::report {
namespace {

std::vector<std::string> cache_row(const std::string& name, const CacheStatistics& cache)
{
    const auto kind = [&](std::int64_t count) {
        return cache.kinds_known() ? count_text(count) : std::string(dash);
    };
    return {name,
            count_text(cache.lookups),
            count_text(cache.hits),
            count_text(cache.misses()),
            cache.lookups > 0 ? percent_text(cache.miss_rate()) : std::string(dash),
            kind(cache.compulsory),
            kind(cache.capacity),
            kind(cache.conflict),
            count_text(cache.evictions),
            bytes_text(cache.bytes_filled)};
}

/// Where the cycles of all cores went; empty without cycles.
std::string stall_table(const SimulationResult& timed)
{
    const StallStatistics sum = all_stalls(timed);
    if (sum.total() == 0) {
        return "";
    }
    HtmlTable table{{{"cycles in which", false}, {"cycles", true}, {"share", true}}, {}, {}};
    for (const StallReason& reason : stall_reasons) {
        table.rows.push_back(
            {reason.about, count_text(sum.*reason.cycles), percent_text(reason.share(sum))});
    }
    return "<h3>Where the cycles of all cores went</h3>\n" + to_html(table);
}

} // namespace

std::string simulation_section(const StudyResult& study)
{
    const SimulationResult& untimed = study.simulation;
    const SimulationResult& timed = study.timed;
    HtmlTable caches{{{"", false},
                      {"lookups", true},
                      {"hits", true},
                      {"misses", true},
                      {"miss rate", true},
                      {"compulsory", true},
                      {"capacity", true},
                      {"conflict", true},
                      {"evictions", true},
                      {"filled", true}},
                     {},
                     {}};
    caches.rows.push_back(cache_row("L1, untimed", untimed.l1));
    caches.rows.push_back(cache_row("L1, timed", timed.l1));
    for (const LevelStatistics& level : untimed.behind) {
        caches.rows.push_back(cache_row(level.name + ", untimed", level.counts));
        caches.rows.push_back(cache_row(level.name + ", timed", timed.level(level.name)));
    }

    HtmlTable launch{{{"", false}, {"untimed", true}, {"timed", true}}, {}, {}};
    const auto row = [&](const std::string& name, const auto& value) {
        launch.rows.push_back({name, value(untimed), value(timed)});
    };
    using R = SimulationResult;
    row("texel reads", [](const R& r) { return count_text(r.l1.texel_reads); });
    row("reads outside of the image", [](const R& r) { return count_text(r.border_reads); });
    row("work-groups", [](const R& r) { return count_text(r.groups); });
    row("warps", [](const R& r) { return count_text(r.warps); });
    row("warp accesses", [](const R& r) { return count_text(r.steps); });
    row("bytes from memory", [](const R& r) { return bytes_text(r.memory_bytes); });
    row("occupancy", [&](const R& r) {
        return fmt::format("{} ({})", warps_text(r.occupancy), reason(r.occupancy, study.options));
    });
    row("occupancy groups of all cores, as they ran", [](const R& r) {
        return r.occupancy_groups > 0 ? count_text(r.occupancy_groups) : std::string(dash);
    });
    row("cycles",
        [](const R& r) { return r.cycles ? count_text(r.cycles->value) : std::string(dash); });
    row("time", [&](const R& r) { return time_text(r.time(study.options.machine)); });

    return fmt::format(
        "<section id=\"simulation\"><h2>Simulation</h2>\n"
        "<p>Untimed, the warps of a core take turns; timed, the order follows from latencies and "
        "bandwidths.{}</p>\n"
        "{}<h3>Launch</h3>\n{}{}</section>\n",
        reads_buffers(study.nest)
            ? " Inputs in buffers are simulated with time alone: untimed, as in the heat maps, are "
              "the images."
            : "",
        to_html(caches), to_html(launch), stall_table(timed));
}

} // namespace texelscope::workbench::report
