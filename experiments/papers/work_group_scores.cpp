#include "experiments/papers/work_group_scores.hpp"

#include "base/progress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace texelscope::experiments {
namespace {

constexpr std::size_t rule_count = all_work_group_rules.size();
using RuleScores = std::array<double, rule_count>;
/// Table 3.
constexpr RuleScores paper_conv{0.74, 0.81, 0.80, 0.78, 0.82};
constexpr RuleScores paper_depthwise{0.88, 0.90, 0.86, 0.90, 0.99};

int rules_followed(const WorkGroupTime& group)
{
    return static_cast<int>(std::count(group.follows.begin(), group.follows.end(), true));
}

/// "Conv on x: I 0.71, II 0.80": the scores of one kernel and device.
std::string scores_text(const WorkGroupScores& scores)
{
    std::vector<std::string> parts;
    for (std::size_t r = 0; r < rule_count; ++r) {
        parts.push_back(fmt::format("{} {}", to_string(all_work_group_rules[r]),
                                    scores.rules[r].score ? fmt::format("{:.2f}", *scores.rules[r].score) : "-"));
    }
    return fmt::format("{} on {}: {} (any {:.2f})", scores.kernel, scores.device, fmt::join(parts, ", "), scores.any);
}

std::string all_scores_text(const std::vector<WorkGroupScores>& scores)
{
    std::vector<std::string> parts;
    std::transform(scores.begin(), scores.end(), std::back_inserter(parts), scores_text);
    return fmt::format("{}", fmt::join(parts, "; "));
}

/// How many of the (kernel, device, rule) triples satisfy a predicate of the scores and the rule's number.
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
                    result.failing.push_back(
                        fmt::format("{} of {} on {}", to_string(all_work_group_rules[r]), one.kernel, one.device));
                }
            }
        }
    }
    return result;
}

std::string tally_text(const Tally& result)
{
    return fmt::format("{} of {}{}{}", result.holding, result.all, result.failing.empty() ? "" : "; not ",
                       fmt::join(result.failing, ", "));
}

Verdict all_hold(const Tally& result)
{
    return result.all == 0 ? Verdict::not_tested : verdict_of(result.holding == result.all);
}

ResultTable table_of(const std::vector<WorkGroupScores>& scores)
{
    const auto cell = [](const std::optional<double>& value) {
        return value ? ResultTable::Value{std::round(*value * 1000) / 1000} : ResultTable::Value{std::string("-")};
    };
    ResultTable table;
    table.columns = {"device", "kernel", "rule", "following", "score", "paper"};
    for (const WorkGroupScores& one : scores) {
        for (std::size_t r = 0; r < rule_count; ++r) {
            table.rows.push_back({one.device, one.kernel, to_string(all_work_group_rules[r]), one.rules[r].following,
                                  cell(one.rules[r].score), cell(paper_score(one.kernel, all_work_group_rules[r]))});
        }
        table.rows.push_back({one.device, one.kernel, "any size", std::string("-"), cell(one.any), cell({})});
        table.rows.push_back({one.device, one.kernel, "most rules", std::string("-"), cell(one.picked), cell({})});
    }
    return table;
}

} // namespace

WorkGroupScores work_group_scores(const WorkGroupTimes& times)
{
    std::vector<Nanoseconds> latencies;
    int most = 0;
    for (const WorkGroupTime& group : times.groups) {
        latencies.push_back(group.time);
        most = std::max(most, rules_followed(group));
    }
    const auto score_of = [&](const auto& belongs) {
        std::vector<bool> follows;
        std::transform(times.groups.begin(), times.groups.end(), std::back_inserter(follows), belongs);
        return importance_score(latencies, follows);
    };
    WorkGroupScores scores{times.kernel, times.device, {}, 0, 0};
    for (std::size_t r = 0; r < rule_count; ++r) {
        // Those that were drawn for another rule follow more rules than others do.
        const auto belongs = [&](const WorkGroupTime& group) {
            return group.follows[r] && group.drawn_for.value_or(all_work_group_rules[r]) == all_work_group_rules[r];
        };
        scores.rules[r] = {score_of(belongs), std::count_if(times.groups.begin(), times.groups.end(), belongs)};
    }
    scores.any = score_of([](const WorkGroupTime& group) { return !group.drawn_for; }).value_or(0);
    scores.picked = score_of([&](const WorkGroupTime& group) { return rules_followed(group) == most; }).value_or(0);
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
    constexpr double near = 0.1;
    const std::string paper = "Conv I 0.74, II 0.81, III 0.80, IV 0.78, V 0.82; Dw-Conv I 0.88, II 0.90, III 0.86, IV "
                              "0.90, V 0.99 (table 3)";
    const Tally better =
        tally(scores, [](const WorkGroupScores& one, std::size_t r) { return *one.rules[r].score > one.any; });
    const Tally close = tally(scores, [](const WorkGroupScores& one, std::size_t r) {
        const std::optional<double> theirs = paper_score(one.kernel, all_work_group_rules[r]);
        return theirs && std::abs(*one.rules[r].score - *theirs) <= near;
    });
    constexpr auto fifth = static_cast<std::size_t>(WorkGroupRule::accesses);
    int highest = 0;
    int ranked = 0;
    int combined = 0;
    std::vector<std::string> picked;
    for (const WorkGroupScores& one : scores) {
        double best_other = 0;
        for (std::size_t r = 0; r < rule_count; ++r) {
            if (r != fifth) {
                best_other = std::max(best_other, one.rules[r].score.value_or(0));
            }
        }
        if (one.rules[fifth].score) {
            ++ranked;
            highest += *one.rules[fifth].score >= best_other ? 1 : 0;
        }
        combined += one.picked > one.any ? 1 : 0;
        picked.push_back(fmt::format("{} on {} {:.2f} (any {:.2f})", one.kernel, one.device, one.picked, one.any));
    }
    const auto count = static_cast<int>(scores.size());
    return {
        {"sizes that follow a rule are better than sizes taken at random, for every rule, kernel and device",
         "the rules filter out poor partitions (section 4.1)", tally_text(better) + "; " + all_scores_text(scores),
         all_hold(better)},
        {"rule V, few data accesses, has the highest score of all rules, for every kernel and device", paper,
         fmt::format("{} of {} times", highest, ranked),
         ranked == 0 ? Verdict::not_tested : verdict_of(highest == ranked)},
        {"every score is the paper's, within 0.1", paper, tally_text(close), all_hold(close)},
        {"sizes that follow the most rules are better than sizes taken at random, for every kernel and device",
         "the approach takes any of those that are left (section 4.1)", fmt::format("{}", fmt::join(picked, ", ")),
         count == 0 ? Verdict::not_tested : verdict_of(combined == count)},
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
                PanelPlot::Curve curve{one.device, colour++, PanelPlot::Axis::left, {}};
                curve.line = false;
                const double beside = 0.15 * (colour - 3);
                for (std::size_t r = 0; r < rule_count; ++r) {
                    if (const auto& score = one.rules[r].score) {
                        curve.points.push_back(
                            {static_cast<double>(r) + beside, *score,
                             fmt::format("{}, rule {}: {:.2f} of {} sizes", one.device,
                                         to_string(all_work_group_rules[r]), *score, one.rules[r].following)});
                    }
                }
                curve.points.push_back(
                    {rule_count + beside, one.any, fmt::format("{}, any size: {:.2f}", one.device, one.any)});
                panel.curves.push_back(std::move(curve));
            }
        }
        PanelPlot::Curve paper{"paper", 5, PanelPlot::Axis::left, {}};
        for (std::size_t r = 0; r < rule_count; ++r) {
            if (const auto score = paper_score(kernel.name, all_work_group_rules[r])) {
                paper.points.push_back({static_cast<double>(r) + 0.3, *score, fmt::format("paper: {:.2f}", *score)});
            }
        }
        paper.line = false;
        panel.curves.push_back(std::move(paper));
        plot.panels.push_back(std::move(panel));
    }
    return plot;
}

ExperimentResult run_work_group_scores(const DeviceProfile& device, const Progress& progress, const StopToken& stop)
{
    const WorkGroupOptions options{.draws = 40, .followers = 8}; // on three devices
    std::vector<DeviceProfile> devices{device};
    for (const char* name : {"adreno-630", "mali-g72"}) { // the two that the paper shows
        if (device.name != name) {
            devices.push_back(find_profile(name));
        }
    }
    const std::vector<RuledKernel> kernels = ruled_kernels();
    std::vector<WorkGroupScores> scores;
    ExperimentResult result;
    for (const DeviceProfile& one : devices) {
        for (const RuledKernel& kernel : kernels) {
            const WorkGroupTimes times = measure_work_groups(
                kernel, one, options, part_progress(progress, scores.size(), devices.size() * kernels.size()), stop);
            scores.push_back(work_group_scores(times));
            result.conditions.emplace_back(fmt::format("{}, {}", one.name, kernel.name),
                                           coverage_text(times) + " of " + to_string(kernel.op));
        }
    }
    result.conditions.emplace_back("devices", "this one, simulated, and the two of the paper's figure 5");
    result.conditions.emplace_back("score",
                                   "mean over the M sizes n that follow the rule of (f(W_p) - f(W_n)) / (f(W_p) "
                                   "- f(W_b)), p the slowest and b the fastest of all (equation 8)");
    result.conditions.emplace_back("drawn",
                                   fmt::format("{} sizes from all, then for each rule {} of those that follow it",
                                               options.draws, options.followers));
    result.conditions.emplace_back("runs", fmt::format("simulated from samples of {} warp accesses", options.sample));
    result.table = table_of(scores);
    result.findings = work_group_score_findings(scores);
    result.plot = work_group_score_plot(scores);
    return result;
}

} // namespace texelscope::experiments
