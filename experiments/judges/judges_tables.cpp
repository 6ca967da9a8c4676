#include "experiments/judges/judges_tables.hpp"

#include "base/averages.hpp"
#include "base/lists.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace texelscope::experiments {
// The tables that experiment `judges` writes. Ratios are rounded to thousandths and times to whole
// ns, so that tables of two runs can be compared line by line.
namespace {

constexpr const char* none = "-";

std::int64_t whole_ns(double ns)
{
    return std::llround(ns);
}

ResultTable::Value cell_of(const std::optional<double>& value)
{
    return value ? ResultTable::Value(thousandths(*value)) : ResultTable::Value(none);
}

const char* word(bool yes)
{
    return yes ? "yes" : "no";
}

std::string named(const char* what, ModelVariant variant)
{
    return std::string(what) + " " + to_string(variant);
}

/// A row over some of the cells: a device's, an operator's, or all; none where there are no such
/// cells.
void add_summary(ResultTable& table, const char* of, const std::string& name,
                 const std::vector<JudgedCell>& cells)
{
    if (cells.empty()) {
        return;
    }
    const CellSummary summary = summary_of(cells);
    std::vector<ResultTable::Value> row{std::string(of),
                                        name,
                                        summary.cells,
                                        thousandths(summary.tau),
                                        thousandths(summary.least_tau),
                                        summary.below,
                                        thousandths(summary.choice),
                                        thousandths(summary.worst_choice),
                                        summary.above,
                                        thousandths(summary.error),
                                        thousandths(summary.shortlist)};
    for (const auto& means : {summary.taus, summary.choices}) {
        for (std::size_t v = 1; v < judged_variants.size(); ++v) {
            row.emplace_back(thousandths(means[v]));
        }
    }
    table.rows.push_back(std::move(row));
}

std::vector<JudgedCell> those(const std::vector<JudgedCell>& cells,
                              const std::function<bool(const JudgedCell&)>& wanted)
{
    std::vector<JudgedCell> some;
    std::copy_if(cells.begin(), cells.end(), std::back_inserter(some), wanted);
    return some;
}

/// The devices that have measured shapes, in the order of the shapes.
std::vector<std::string> profiles_of(const std::vector<JudgedShape>& shapes)
{
    std::vector<std::string> profiles;
    for (const JudgedShape& shape : shapes) {
        if (std::ranges::find(profiles, shape.profile) == profiles.end()) {
            profiles.push_back(shape.profile);
        }
    }
    return profiles;
}

} // namespace

ResultTable summary_table(const std::vector<JudgedCell>& cells,
                          const std::vector<DeviceProfile>& devices)
{
    ResultTable table{{"of", "name", "cells", "tau", "least_tau", "below_0.75", "choice",
                       "worst_choice", "choice_above_1.1", "error", "shortlist"},
                      {}};
    for (const char* what : {"tau", "choice"}) {
        for (std::size_t v = 1; v < judged_variants.size(); ++v) {
            table.columns.push_back(named(what, judged_variants[v]));
        }
    }
    for (std::size_t d = 0; d < devices.size(); ++d) {
        add_summary(table, "device", devices[d].name,
                    those(cells, [&](const JudgedCell& cell) { return cell.device == d; }));
    }
    std::vector<std::string> operators;
    for (const JudgedCell& cell : cells) {
        if (std::ranges::find(operators, cell.shape.op) == operators.end()) {
            operators.push_back(cell.shape.op);
        }
    }
    for (const std::string& op : operators) {
        add_summary(table, "operator", op,
                    those(cells, [&](const JudgedCell& cell) { return cell.shape.op == op; }));
    }
    add_summary(table, "all", "all", cells);
    return table;
}

ResultTable cell_table(const std::vector<JudgedCell>& cells,
                       const std::vector<DeviceProfile>& devices)
{
    ResultTable table{{"device", "operator", "shape", "kernels"}, {}};
    for (const char* what : {"tau", "choice"}) {
        for (const ModelVariant variant : judged_variants) {
            table.columns.push_back(named(what, variant));
        }
    }
    table.columns.insert(table.columns.end(), {"error", "shortlist", "best", "best_ns"});
    for (const JudgedCell& cell : cells) {
        std::vector<ResultTable::Value> row{devices[cell.device].name, cell.shape.op,
                                            cell.shape.shape, std::ssize(cell.schedules)};
        std::vector<Agreement> agreements;
        for (std::size_t v = 0; v < judged_variants.size(); ++v) {
            agreements.push_back(cell.agreement(v));
            row.push_back(cell_of(agreements.back().tau));
        }
        for (const Agreement& one : agreements) {
            row.emplace_back(thousandths(one.choice));
        }
        const auto best = std::ranges::min_element(cell.simulated_ns);
        row.emplace_back(thousandths(agreements[0].error[1]));
        row.emplace_back(thousandths(cell.shortlist()));
        row.emplace_back(
            to_string(cell.schedules[static_cast<std::size_t>(best - cell.simulated_ns.begin())]));
        row.emplace_back(whole_ns(*best));
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// The kernels that are farthest apart, with the cause and the numbers that show it.
ResultTable far_table(const std::vector<FarKernel>& kernels)
{
    ResultTable table{{"device", "operator", "shape", "config", "predicted_ns", "sampled_ns",
                       "simulated_ns", "ratio", "cause", "why"},
                      {}};
    for (const FarKernel& kernel : kernels) {
        const ComparedCounts& counts = kernel.counts;
        table.rows.push_back({kernel.device, kernel.shape.op, kernel.shape.shape,
                              to_string(kernel.schedule), whole_ns(counts.predicted_ns),
                              whole_ns(counts.sampled_ns), whole_ns(counts.simulated_ns),
                              thousandths(counts.predicted_ns / counts.simulated_ns),
                              to_string(kernel.why.cause), kernel.why.text});
    }
    return table;
}

ResultTable causes_table(const std::vector<FarKernel>& kernels)
{
    ResultTable table{{"device"}, {}};
    for (int cause = 0; cause <= static_cast<int>(Cause::overlap); ++cause) {
        table.columns.push_back(to_string(static_cast<Cause>(cause)));
    }
    std::vector<std::string> devices = mapped(kernels, &FarKernel::device);
    devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
    devices.emplace_back("all");
    for (const std::string& device : devices) {
        std::vector<ResultTable::Value> row{device};
        for (int cause = 0; cause <= static_cast<int>(Cause::overlap); ++cause) {
            row.emplace_back(std::int64_t{std::ranges::count_if(kernels, [&](const auto& kernel) {
                return (device == "all" || kernel.device == device) &&
                       kernel.why.cause == static_cast<Cause>(cause);
            })});
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

ResultTable measured_summary_table(const std::vector<JudgedShape>& shapes)
{
    ResultTable table{{"device", "fitted_on", "judge", "shapes", "tau", "choice", "worst_choice",
                       "error_10", "error_50", "error_90"},
                      {}};
    for (const std::string& profile : profiles_of(shapes)) {
        // Shapes that values were fitted to are shown apart: a judge looks better on them.
        for (const bool fitted_on : {true, false}) {
            std::vector<JudgedShape> half;
            std::ranges::copy_if(shapes, std::back_inserter(half), [&](const JudgedShape& shape) {
                return shape.profile == profile && shape.fitted_on == fitted_on;
            });
            if (half.empty()) {
                continue;
            }
            for (std::size_t judge = 0; judge < measured_judges.size(); ++judge) {
                const ShapeSummary summary = summary_of(half, judge);
                table.rows.push_back(
                    {profile, std::string(word(fitted_on)), std::string(measured_judges[judge]),
                     summary.shapes, thousandths(summary.tau), thousandths(summary.choice),
                     thousandths(summary.worst_choice), thousandths(summary.error[0]),
                     thousandths(summary.error[1]), thousandths(summary.error[2])});
            }
            std::vector<double> shortlists;
            for (const JudgedShape& shape : half) {
                if (const auto ratio = shape.shortlist(judged_shortlist)) {
                    shortlists.push_back(*ratio);
                }
            }
            if (!shortlists.empty()) {
                table.rows.push_back({profile, std::string(word(fitted_on)),
                                      std::string("shortlist"), std::ssize(shortlists),
                                      std::string(none), thousandths(geometric_mean(shortlists)),
                                      thousandths(std::ranges::max(shortlists)), std::string(none),
                                      std::string(none), std::string(none)});
            }
        }
    }
    return table;
}

/// Each judge on each shape; the shortlist is a row of its own, as it is no judge of single
/// kernels.
ResultTable measured_table(const std::vector<JudgedShape>& shapes)
{
    ResultTable table{{"device", "fitted_on", "operator", "shape", "kernels", "judge", "tau",
                       "choice", "error_10", "error_50", "error_90"},
                      {}};
    for (const JudgedShape& shape : shapes) {
        const auto row = [&](const std::string& judge, const std::optional<double>& tau,
                             double choice) {
            return std::vector<ResultTable::Value>{shape.profile,
                                                   std::string(word(shape.fitted_on)),
                                                   shape.op,
                                                   shape.shape,
                                                   std::ssize(shape.measured_ns),
                                                   judge,
                                                   cell_of(tau),
                                                   thousandths(choice)};
        };
        for (std::size_t judge = 0; judge < measured_judges.size(); ++judge) {
            const Agreement agreement = shape.agreement(judge);
            table.rows.push_back(row(measured_judges[judge], agreement.tau, agreement.choice));
            for (const double error : agreement.error) {
                table.rows.back().emplace_back(thousandths(error));
            }
        }
        if (const auto ratio = shape.shortlist(judged_shortlist)) {
            table.rows.push_back(row("shortlist", {}, *ratio));
            table.rows.back().insert(table.rows.back().end(), 3, std::string(none));
        }
    }
    return table;
}

} // namespace texelscope::experiments
