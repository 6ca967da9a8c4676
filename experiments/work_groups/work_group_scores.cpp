#include "experiments/work_groups/work_group_scores.hpp"

#include "base/lists.hpp"
#include "base/progress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace texelscope::experiments {
// The importance score of a rule (equation 8): the mean, over the sizes that follow it, of (f(W_p)
// - f(W_n)) / (f(W_p) - f(W_b)), with the latencies f of the slowest size p and the fastest size b.
// 1 means that the rule leaves only the best size, 0 only the worst.
namespace {

constexpr std::size_t rule_count = all_work_group_rules.size();
using RuleScores = std::array<double, rule_count>;
/// The paper's scores, table 3: rules I to V.
constexpr RuleScores paper_conv{0.74, 0.81, 0.80, 0.78, 0.82};
constexpr RuleScores paper_depthwise{0.88, 0.90, 0.86, 0.90, 0.99};

int rules_followed(const WorkGroupTime& group)
{
    return static_cast<int>(std::count(group.follows.begin(), group.follows.end(), true));
}

/// The scores of one kernel and device: "Conv on x: I 0.71, II 0.80".
std::string scores_text(const WorkGroupScores& scores)
{
    const std::string parts = joined(all_work_group_rules, [&](WorkGroupRule rule) {
        const std::optional<double>& score = scores.rules[static_cast<std::size_t>(rule)].score;
        return fmt::format("{} {}", to_string(rule), score ? fmt::format("{:.2f}", *score) : "-");
    });
    return fmt::format("{} on {}: {} (any {:.2f})", scores.kernel, scores.device, parts,
                       scores.any);
}

/// For how many pairs of a kernel on a device and a rule a predicate holds, and for which it does
/// not.
struct Tally {
    int holding = 0;
    int all = 0;
    std::vector<std::string> failing;
};
template <class Predicate>
Tally tally(const std::vector<WorkGroupScores>& scores, const Predicate& predicate)
{
    Tally result;
    for (const WorkGroupScores& one : scores) {
        for (std::size_t r = 0; r < rule_count; ++r) {
            if (one.rules[r].score) {
                const bool holds = predicate(one, r);
                result.holding += holds ? 1 : 0;
                ++result.all;
                if (!holds) {
                    result.failing.push_back(fmt::format("{} of {} on {}",
                                                         to_string(all_work_group_rules[r]),
                                                         one.kernel, one.device));
                }
            }
        }
    }
    return result;
}

/// "3 of 5; not II of Conv on x": how many triples hold, and which do not.
std::string tally_text(const Tally& result)
{
    return fmt::format("{} of {}{}{}", result.holding, result.all,
                       result.failing.empty() ? "" : "; not ", fmt::join(result.failing, ", "));
}

/// Holds if the predicate does for every triple; not tested without any.
Verdict all_hold(const Tally& result)
{
    return result.all == 0 ? Verdict::not_tested : verdict_of(result.holding == result.all);
}

/// Every rule of a kernel on a device beside the paper's score; then any size, and sizes that
/// follow the most rules.
ResultTable table_of(const std::vector<WorkGroupScores>& scores)
{
    const auto cell = [](const std::optional<double>& value) {
        return value ? ResultTable::Value{thousandths(*value)}
                     : ResultTable::Value{std::string("-")};
    };
    ResultTable table{{"device", "kernel", "rule", "following", "score", "paper"}, {}};
    for (const WorkGroupScores& one : scores) {
        for (std::size_t r = 0; r < rule_count; ++r) {
            table.rows.push_back({one.device, one.kernel, to_string(all_work_group_rules[r]),
                                  one.rules[r].following, cell(one.rules[r].score),
                                  cell(paper_score(one.kernel, all_work_group_rules[r]))});
        }
        table.rows.push_back(
            {one.device, one.kernel, "any size", std::string("-"), cell(one.any), cell({})});
        table.rows.push_back(
            {one.device, one.kernel, "most rules", std::string("-"), cell(one.picked), cell({})});
    }
    return table;
}

} // namespace

WorkGroupScores work_group_scores(const WorkGroupTimes& times)
{
    const std::vector<Nanoseconds> latencies = mapped(times.groups, &WorkGroupTime::time);
    const int most =
        times.groups.empty() ? 0 : std::ranges::max(mapped(times.groups, rules_followed));
    const auto score_of = [&](const auto& belongs) {
        return importance_score(latencies, mapped(times.groups, belongs));
    };
    WorkGroupScores scores{times.kernel, times.device, {}, 0, 0};
    for (std::size_t r = 0; r < rule_count; ++r) {
        // Sizes that were drawn because they follow another rule also follow more rules than others
        // do, so they would bias this rule's score.
        const auto belongs = [&](const WorkGroupTime& group) {
            return group.follows[r] &&
                   group.drawn_for.value_or(all_work_group_rules[r]) == all_work_group_rules[r];
        };
        scores.rules[r] = {score_of(belongs),
                           std::count_if(times.groups.begin(), times.groups.end(), belongs)};
    }
    scores.any = score_of([](const WorkGroupTime& group) { return !group.drawn_for; }).value_or(0);
    scores.picked = score_of([&](const WorkGroupTime& group) {
                        return rules_followed(group) == most;
                    }).value_or(0);
    return scores;
}

std::optional<double> paper_score(const std::string& kernel, WorkGroupRule rule)
{
    const auto r = static_cast<std::size_t>(rule);
    if (kernel == "Conv") {
        return paper_conv[r];
    }
    return kernel == "Dw-Conv" ? std::optional(paper_depthwise[r]) : std::nullopt;
}

std::vector<Finding> work_group_score_findings(const std::vector<WorkGroupScores>& scores)
{
    // The paper's scores are means over several phones, so each is taken with a margin; it is ours.
    constexpr double near = 0.1;
    const std::string paper =
        "Conv I 0.74, II 0.81, III 0.80, IV 0.78, V 0.82; Dw-Conv I 0.88, II 0.90, III 0.86, IV "
        "0.90, V 0.99 (table 3)";
    const Tally better = tally(scores, [](const WorkGroupScores& one, std::size_t r) {
        return *one.rules[r].score > one.any;
    });
    const Tally close = tally(scores, [](const WorkGroupScores& one, std::size_t r) {
        const std::optional<double> theirs = paper_score(one.kernel, all_work_group_rules[r]);
        return theirs && std::abs(*one.rules[r].score - *theirs) <= near;
    });
    // Rule V, few data accesses.
    constexpr auto fifth = static_cast<std::size_t>(WorkGroupRule::accesses);
    int highest = 0;
    int ranked = 0;
    for (const WorkGroupScores& one : scores) {
        if (one.rules[fifth].score) {
            ++ranked;
            highest += std::ranges::all_of(one.rules, [&](const WorkGroupScores::Rule& rule) {
                return *one.rules[fifth].score >= rule.score.value_or(0);
            });
        }
    }
    // Sizes that follow the most rules, which is what select_by_rules() draws from.
    const bool combined =
        std::ranges::all_of(scores, [](const auto& one) { return one.picked > one.any; });
    return {
        {"sizes that follow a rule are better than sizes taken at random, for every rule, kernel "
         "and device",
         "the rules filter out poor partitions (section 4.1)",
         tally_text(better) + "; " + joined(scores, scores_text, "; "), all_hold(better),
         "simulator, probably: rule V counts accesses, which the simulated caches serve for any "
         "shape; for Dw-Conv its sizes are among the slowest"},
        {"rule V, few data accesses, has the highest score of all rules, for every kernel and "
         "device",
         paper, fmt::format("{} of {} times", highest, ranked),
         ranked == 0 ? Verdict::not_tested : verdict_of(highest == ranked),
         "simulator, probably: rule V counts accesses, which the simulated caches serve for any "
         "shape"},
        {"every score is the paper's, within 0.1", paper, tally_text(close), all_hold(close),
         "simulator, probably: as for rule V; the paper's scores are moreover over all of its "
         "phones"},
        {"sizes that follow the most rules are better than sizes taken at random, for every kernel "
         "and device",
         "the approach takes any of those that are left (section 4.1)",
         joined(scores,
                [](const WorkGroupScores& one) {
                    return fmt::format("{} on {} {:.2f} (any {:.2f})", one.kernel, one.device,
                                       one.picked, one.any);
                }),
         scores.empty() ? Verdict::not_tested : verdict_of(combined),
         "simulator, probably: as for rule V, which all of them follow"},
    };
}

PanelPlot work_group_score_plot(const std::vector<WorkGroupScores>& scores)
{
    PanelPlot plot;
    plot.title = "Importance score of rules I to V";
    plot.x_label = "rule (any: all sizes)";
    plot.left_label = "importance score (equation 8)";
    plot.x_low = -0.6;
    plot.x_high = rule_count + 0.6;
    plot.panel_width = 300;
    for (std::size_t r = 0; r < rule_count; ++r) {
        plot.x_ticks.push_back(static_cast<double>(r));
        plot.x_tick_names.push_back(to_string(all_work_group_rules[r]));
    }
    plot.x_ticks.push_back(rule_count);
    plot.x_tick_names.emplace_back("any");
    for (const RuledKernel& kernel : ruled_kernels()) {
        PanelPlot::Panel panel;
        panel.title = kernel.name;
        int colour = 1;
        for (const WorkGroupScores& one : scores) {
            if (one.kernel == kernel.name) {
                PanelPlot::Curve curve{.name = one.device, .colour = colour++, .line = false};
                // Devices stand side by side around the tick of a rule.
                const double beside = 0.15 * (colour - 3);
                for (std::size_t r = 0; r < rule_count; ++r) {
                    if (const auto& score = one.rules[r].score) {
                        curve.points.push_back(
                            {static_cast<double>(r) + beside, *score,
                             fmt::format("{}, rule {}: {:.2f} of {} sizes", one.device,
                                         to_string(all_work_group_rules[r]), *score,
                                         one.rules[r].following)});
                    }
                }
                curve.points.push_back({rule_count + beside, one.any,
                                        fmt::format("{}, any size: {:.2f}", one.device, one.any)});
                panel.curves.push_back(std::move(curve));
            }
        }
        PanelPlot::Curve paper{.name = "paper", .colour = 5, .line = false};
        for (std::size_t r = 0; r < rule_count; ++r) {
            if (const auto score = paper_score(kernel.name, all_work_group_rules[r])) {
                paper.points.push_back(
                    {static_cast<double>(r) + 0.3, *score, fmt::format("paper: {:.2f}", *score)});
            }
        }
        panel.curves.push_back(std::move(paper));
        plot.panels.push_back(std::move(panel));
    }
    return plot;
}

ExperimentResult run_work_group_scores(const ExperimentDevice& device, const Progress& progress,
                                       const StopToken& stop)
{
    const WorkGroupOptions options{.draws = 40, .followers = 8}; // on three devices
    const std::array paper{find_profile("adreno-630"), find_profile("mali-g72")}; // those it shows
    std::vector<ExperimentDevice> devices{device};
    for (const DeviceProfile& one : paper) {
        if (!device.real() && device.profile.name != one.name) {
            devices.push_back({one});
        }
    }
    const std::vector<RuledKernel> kernels = ruled_kernels();
    std::vector<WorkGroupScores> scores;
    ExperimentResult::Conditions conditions;
    for (const ExperimentDevice& one : devices) {
        for (const RuledKernel& kernel : kernels) {
            const WorkGroupTimes times = measure_work_groups(
                kernel, one, options,
                part_progress(progress, scores.size(), devices.size() * kernels.size()), stop);
            scores.push_back(work_group_scores(times));
            conditions.emplace_back(fmt::format("{}, {}", one.name(), kernel.name),
                                    coverage_text(times) + " of " + to_string(kernel.op));
        }
    }
    conditions.emplace_back(
        "devices",
        device.real() ? device.text() : "this one, simulated, and the two of the paper's figure 5");
    conditions.emplace_back(
        "score", "mean over the M sizes n that follow the rule of (f(W_p) - f(W_n)) / (f(W_p) "
                 "- f(W_b)), p the slowest and b the fastest of all (equation 8)");
    conditions.emplace_back(
        "drawn", fmt::format("{} sizes from all, then for each rule {} of those that follow it",
                             options.draws, options.followers));
    conditions.emplace_back("runs", device.times_text(sampled_text(options.sample)));
    return {std::move(conditions), table_of(scores),
            decided_on(device, work_group_score_findings(scores)), work_group_score_plot(scores)};
}

} // namespace texelscope::experiments
