#include "base/averages.hpp"
#include "base/lists.hpp"
#include "experiments/shared/within.hpp"
#include "experiments/tmmodel/training_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace texelscope::experiments {
// What TMModel says of tables 4 and 6, decided once by simulated times and, where there is a
// device, once by measured ones.
namespace {

using Ns = std::function<std::optional<double>(const TrainingTime&)>;

/// A network, and a planner's time over ours.
struct TrainingGain {
    const PublishedTraining* network = nullptr;
    double times = 0;
};

/// The times of one judge, the simulator or a device; `where` begins its findings.
class TrainingJudge {
public:
    TrainingJudge(const TrainingTimes& data, Ns ns, std::string where)
        : data_(data), ns_(std::move(ns)), where_(std::move(where))
    {}

    [[nodiscard]] const std::string& where() const { return where_; }
    [[nodiscard]] std::optional<double> time(const PublishedTraining& network,
                                             const std::string& planner) const
    {
        const TrainingTime* const found = data_.find(network.network, planner);
        return found == nullptr || !found->why_not.empty() ? std::nullopt : ns_(*found);
    }
    /// Ratios of the networks that both planners could plan, in the paper's order.
    [[nodiscard]] std::vector<TrainingGain> gains(const std::string& above,
                                                  const std::string& below) const
    {
        std::vector<TrainingGain> all;
        for (const PublishedTraining& network : data_.published) {
            const auto a = time(network, above);
            const auto b = time(network, below);
            if (a && b) {
                all.push_back({&network, *a / *b});
            }
        }
        return all;
    }
    [[nodiscard]] std::optional<double> gain(const std::string& network, const std::string& above,
                                             const std::string& below) const
    {
        const auto all = gains(above, below);
        const auto found = std::ranges::find(
            all, network, [](const TrainingGain& one) { return one.network->network; });
        return found == all.end() ? std::nullopt : std::optional(found->times);
    }
    /// What the paper has of each network, in words; `of` gives nothing where it has none.
    [[nodiscard]] std::string
    paper(const std::function<std::optional<double>(const PublishedTraining&)>& of) const
    {
        std::vector<std::string> words;
        for (const PublishedTraining& network : data_.published) {
            if (const auto ratio = of(network)) {
                words.push_back(fmt::format("{} {:.2f} times", network.called, *ratio));
            }
        }
        return joined(words, std::identity{});
    }

private:
    const TrainingTimes& data_;
    Ns ns_;
    std::string where_;
};

std::string gains_text(const std::vector<TrainingGain>& gains)
{
    return gains.empty() ? "not run" : joined(gains, [](const TrainingGain& gain) {
        return fmt::format("{} {:.2f} times", gain.network->called, gain.times);
    });
}

Finding faster_training(const TrainingJudge& judge, const std::string& slow,
                        const std::string& fast, const std::string& claim, const std::string& paper)
{
    const auto gains = judge.gains(slow, fast);
    return {judge.where() + ": " + claim, paper, gains_text(gains),
            gains.empty() ? Verdict::not_tested
                          : verdict_of(std::ranges::all_of(
                                gains, [](const auto& gain) { return gain.times > 1; }))};
}

/// A function, because `paper()` takes numbers that may be missing.
std::optional<double> over_mnn(const PublishedTraining& network)
{
    return network.over_mnn;
}

/// The ratios over DNNFusion that follow from table 4, with the remark that the text of section 6.3
/// has others.
std::string dnnfusion_text(const TrainingJudge& judge)
{
    return judge.paper(&PublishedTraining::over_dnnfusion) +
           " by table 4, 1.38 to 2.13; the text of section 6.3 has 1.83 to 2.53 for the same four, "
           "which the table's "
           "times contradict";
}

/// Why gains over MNN's policy are not those over MNN.
constexpr const char* our_kernels =
    "set-up, probably: all plans have kernels of one generator, so that what MNN's own kernels "
    "lose, most of it on networks of depthwise convolutions, is not in it";

/// Whether the gain over MNN's policy is larger for one network than for another, as in the paper.
Finding larger_gain(const TrainingJudge& judge, const PublishedTraining& more,
                    const PublishedTraining& less)
{
    Finding finding{fmt::format("{}: the gain over MNN's policy is larger for {} than for {}",
                                judge.where(), more.called, less.called),
                    fmt::format("{:.2f} against {:.2f} times", more.over_mnn, less.over_mnn),
                    "not run", Verdict::not_tested, our_kernels};
    const auto of_more = judge.gain(more.network, "MNN", "ours");
    const auto of_less = judge.gain(less.network, "MNN", "ours");
    if (of_more && of_less) {
        finding.ours = fmt::format("{:.2f} against {:.2f} times", *of_more, *of_less);
        finding.verdict = verdict_of(*of_more > *of_less);
    }
    return finding;
}

/// The paper gives no means, so the bound is an aim of ours.
Finding mean_gain(const TrainingJudge& judge, const std::vector<PublishedTraining>& published)
{
    constexpr double aim = 1.5;
    const double paper = base::geometric_mean(mapped(published, &PublishedTraining::over_mnn));
    Finding finding{
        fmt::format("{}: the geometric mean of the gains over MNN's policy is at least {:g}",
                    judge.where(), aim),
        fmt::format("{:.1f} of the paper's networks; the bound is ours", paper), "not run",
        Verdict::not_tested, our_kernels};
    const auto gains = judge.gains("MNN", "ours");
    if (!gains.empty()) {
        const double mean = base::geometric_mean(mapped(gains, &TrainingGain::times));
        finding.ours = fmt::format("{:.2f} times over {} networks", mean, gains.size());
        finding.verdict = verdict_of(mean >= aim);
    }
    return finding;
}

/// What any judge can decide: which plan is faster.
std::vector<Finding> order_of_plans(const TrainingJudge& judge,
                                    const std::vector<PublishedTraining>& published)
{
    std::vector<Finding> findings{faster_training(
        judge, "MNN", "ours", "every network trains faster with our plans than with MNN's policy",
        judge.paper(over_mnn))};
    if (published.front().over_dnnfusion) {
        findings.push_back(faster_training(
            judge, "DNNFusion", "ours", "and faster than with DNNFusion's", dnnfusion_text(judge)));
    }
    for (const char* other : {"TFLite", "TVM"}) {
        findings.push_back(
            faster_training(judge, other, "ours", fmt::format("and faster than with {}'s", other),
                            "it does not train on a phone's GPU (table 2); an aim of ours"));
    }
    if (published.front().over_dnnfusion) {
        const auto of_both = [](const PublishedTraining& network) -> std::optional<double> {
            return network.over_mnn / *network.over_dnnfusion;
        };
        findings.push_back(
            faster_training(judge, "MNN", "DNNFusion",
                            "with DNNFusion's policy every network trains faster than with MNN's",
                            judge.paper(of_both) + ", from table 4"));
        findings.back().explanation = our_kernels;
    }
    findings.push_back(mean_gain(judge, published));
    const auto [least, most] =
        std::ranges::minmax_element(published, {}, &PublishedTraining::over_mnn);
    findings.push_back(larger_gain(judge, *most, *least));
    return findings;
}

/// Whether the gains are the paper's; for the simulated phone only.
Finding same_gains(const TrainingJudge& judge, const std::vector<PublishedTraining>& published)
{
    constexpr double near = 0.25;
    Finding finding{judge.where() +
                        ": the gains over MNN and DNNFusion are the paper's, within a quarter",
                    "over MNN " + judge.paper(over_mnn), "not run"};
    if (published.front().over_dnnfusion) {
        finding.paper += "; over DNNFusion " + judge.paper(&PublishedTraining::over_dnnfusion);
    }
    std::vector<std::string> words;
    bool all_near = true;
    for (const char* other : {"MNN", "DNNFusion"}) {
        for (const TrainingGain& gain : judge.gains(other, "ours")) {
            const PublishedTraining& paper = *gain.network;
            if (const auto theirs = paper.over_ours(other)) {
                all_near = all_near && within(near, gain.times, *theirs);
                words.push_back(fmt::format("{} over {} {:.2f}", paper.called, other, gain.times));
            }
        }
    }
    if (!words.empty()) {
        finding.ours = joined(words, std::identity{});
        finding.verdict = verdict_of(all_near);
        finding.explanation = our_kernels;
    }
    return finding;
}

/// Whether a sample takes the paper's time; for the simulated phone only.
Finding same_times(const TrainingJudge& judge, const std::vector<PublishedTraining>& published)
{
    constexpr double ns_per_ms = 1e6;
    Finding finding{
        judge.where() + ": with our plans a batch takes the paper's time, within a factor of two",
        joined(published,
               [](const PublishedTraining& network) {
                   return fmt::format("{} {:g} ms", network.called, network.ours_ms.value_or(0));
               }) +
            " (table 4)",
        "not run"};
    std::vector<std::string> words;
    bool all_close = true;
    for (const PublishedTraining& network : published) {
        if (const auto ns = judge.time(network, "ours")) {
            all_close = all_close && within_factor(2, *ns / ns_per_ms, *network.ours_ms);
            words.push_back(fmt::format("{} {:.1f} ms", network.called, *ns / ns_per_ms));
        }
    }
    if (!words.empty()) {
        finding.ours = joined(words, std::identity{});
        finding.verdict = verdict_of(all_close);
        finding.explanation = "set-up, probably: the sum of the kernels, without what a framework "
                              "does between them and at each step";
    }
    return finding;
}

} // namespace

std::vector<Finding> training_findings(const TrainingTimes& data)
{
    const TrainingJudge simulated(
        data, [](const TrainingTime& time) { return std::optional(time.simulated_ns()); },
        "simulated");
    std::vector<Finding> findings = order_of_plans(simulated, data.published);
    findings.push_back(same_gains(simulated, data.published));
    if (data.published.front().ours_ms) {
        findings.push_back(same_times(simulated, data.published));
    }
    if (!data.measured_on.empty()) {
        const TrainingJudge measured(data, &TrainingTime::measured_ns, "on " + data.measured_on);
        std::ranges::move(order_of_plans(measured, data.published), std::back_inserter(findings));
    }
    return findings;
}

} // namespace texelscope::experiments
