#include "base/number_text.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "workbench/plots/html.hpp"
#include "workbench/report/cache_table.hpp"
#include "workbench/report/html_tables.hpp"
#include "workbench/report/report_sections.hpp"
#include "workbench/study/stall_reasons.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace texelscope::workbench::report {
namespace {

/// cache_table() of both modes, each level twice.
ResultTable both_caches(const SimulationResult& untimed, const SimulationResult& timed)
{
    ResultTable both = cache_table(untimed);
    const std::vector<std::vector<ResultTable::Value>> rows = std::exchange(both.rows, {});
    const ResultTable in_time = cache_table(timed);
    for (std::size_t level = 0; level < rows.size(); ++level) {
        both.rows.insert(both.rows.end(), {rows[level], in_time.rows.at(level)});
        std::get<std::string>((both.rows.end() - 2)->front()) += ", untimed";
        std::get<std::string>(both.rows.back().front()) += ", timed";
    }
    return both;
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
        to_html(html_table(both_caches(untimed, timed))), to_html(launch), stall_table(timed));
}

} // namespace texelscope::workbench::report
