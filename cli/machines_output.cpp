#include "cli/machines_output.hpp"

#include "base/parallel.hpp"
#include "cli/terminal.hpp"
#include "workbench/machines/machines_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace texelscope::cli {
namespace {

ordered_json interval_json(const std::optional<TimeOverMachines>& time)
{
    if (!time) {
        return nullptr;
    }
    return {{"median_ns", time->median_ns},
            {"low_ns", time->low_ns},
            {"high_ns", time->high_ns},
            {"runs_on", time->machines}};
}

std::string range_text(const TimeOverMachines& time)
{
    return fmt::format("{} to {}", human_time(time.low_ns), human_time(time.high_ns));
}

std::string share_text(double share)
{
    return fmt::format("{:.0f} %", 100 * share);
}

} // namespace

OverMachinesOutput predicted_over_machines(const MachineSet& set, const DeviceProfile& device,
                                           const Operator& op, const Schedule& schedule)
{
    const auto time =
        kernels_over_machines(set, device, op, {schedule}, processor_threads(), interrupted)
            .front()
            .time;
    OverMachinesOutput out;
    out.json = interval_json(time);
    if (time) {
        out.json["machines"] = set.machines.size();
        out.text = fmt::format("over {} machines that agree with what was measured: {}, 80 % "
                               "within {}\n",
                               set.machines.size(), human_time(time->median_ns), range_text(*time));
    } else {
        out.text = "none of the machines that agree with what was measured can run it\n";
    }
    return out;
}

OverMachinesOutput tuned_over_machines(const MachineSet& set, const DeviceProfile& device,
                                       const Operator& op, std::vector<RankedRow>& rows,
                                       bool robust, std::size_t top)
{
    std::vector<Schedule> schedules;
    for (const RankedRow& row : rows) {
        schedules.push_back(parse_schedule(row.config));
    }
    const std::vector<KernelOverMachines> kernels =
        kernels_over_machines(set, device, op, schedules, processor_threads(), interrupted);
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (robust) {
        std::ranges::stable_sort(order, {},
                                 [&](std::size_t i) { return kernels[i].choice.mean_loss; });
    }
    const std::size_t shown = top == 0 ? rows.size() : std::min(top, rows.size());
    OverMachinesOutput out;
    std::vector<Cells> cells;
    std::vector<RankedRow> ordered;
    ordered_json list = ordered_json::array();
    for (std::size_t place = 0; place < shown; ++place) {
        const std::size_t i = order[place];
        const auto& [time, choice] = kernels[i];
        ordered.push_back(rows[i]);
        cells.push_back({rows[i].config, time ? human_time(time->median_ns) : "-",
                         time ? range_text(*time) : "-", share_text(choice.first),
                         share_text(choice.near_best), share_text(choice.mean_loss),
                         share_text(choice.worst_loss)});
        ordered_json json{{"config", rows[i].config}};
        json["time"] = interval_json(time);
        json["first"] = choice.first;
        json["within_5_percent"] = choice.near_best;
        json["mean_loss"] = choice.mean_loss;
        json["worst_decile_loss"] = choice.worst_loss;
        list.push_back(json);
    }
    out.json = {{"machines", set.machines.size()},
                {"candidates", rows.size()},
                {"robust", robust},
                {"rows", list}};
    if (!cells.empty()) {
        const ChoiceOverMachines& first = kernels[order.front()].choice;
        out.text = fmt::format("\nover {} machines, of {} candidates: {} is first in {} of the "
                               "machines, within 5 % of the best in {}{}\n",
                               set.machines.size(), rows.size(), ordered.front().config,
                               share_text(first.first), share_text(first.near_best),
                               robust ? "; it loses least, in the mean of all" : "") +
                   format_table({"configuration", "median", "80 %", "first", "within 5 %",
                                 "mean loss", "worst tenth"},
                                cells);
    }
    rows = std::move(ordered);
    return out;
}

OverMachinesOutput crosschecked_over_machines(const MachineSet& set, const DeviceProfile& device,
                                              const Operator& op, const CrosscheckResult& result)
{
    std::vector<Schedule> schedules;
    for (const CrosscheckRow& row : result.rows) {
        schedules.push_back(row.schedule);
    }
    const std::vector<KernelOverMachines> kernels =
        kernels_over_machines(set, device, op, schedules, processor_threads(), interrupted);
    std::int64_t measured = 0;
    std::int64_t inside = 0;
    ordered_json list = ordered_json::array();
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const std::optional<TimeOverMachines>& time = kernels[i].time;
        list.push_back({{"config", to_string(schedules[i])}, {"time", interval_json(time)}});
        if (result.rows[i].measured && time) {
            ++measured;
            inside += time->contains(result.rows[i].measured->value) ? 1 : 0;
        }
    }
    OverMachinesOutput out;
    out.json = {{"machines", set.machines.size()},
                {"measured", measured},
                {"inside", inside},
                {"rows", list}};
    out.text = measured > 0 ? fmt::format("over {} machines: {} of {} measured times are within "
                                          "the interval of 80 %\n",
                                          set.machines.size(), inside, measured)
                            : "";
    return out;
}

OverMachinesOutput described_machines(const MachineSet& set)
{
    std::vector<Cells> rows;
    std::string open;
    for (std::size_t i = 0; i < set.values.size(); ++i) {
        const MachineSet::Value& value = set.values[i];
        if (value.told()) {
            rows.push_back({value.key, set.machines.front().values[i], value.low, value.high});
        } else {
            open += (open.empty() ? "" : ", ") + value.key;
        }
    }
    OverMachinesOutput out;
    out.json = to_json(set);
    out.text = fmt::format("\n{} machines agree with {} measured kernels of {} tasks{}\n",
                           set.machines.size(), set.known.kernels, set.known.tasks,
                           set.held_out ? fmt::format("; held out, the best has a tau of {:.2f} "
                                                      "and a median error of {:.0f} %",
                                                      set.held_out->tau, 100 * set.held_out->error)
                                        : "") +
               format_table({"key", "best", "10 %", "90 %"}, rows) +
               (open.empty() ? "" : "not told by what was measured: " + open + "\n");
    return out;
}

} // namespace texelscope::cli
