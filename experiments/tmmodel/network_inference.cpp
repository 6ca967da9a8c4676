#include "experiments/tmmodel/network_inference.hpp"

#include "base/lists.hpp"
#include "base/progress.hpp"
#include "experiments/shared/within.hpp"
#include "workbench/network_studies/network_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

namespace texelscope::experiments {
// What differs between the three plans is where values lie and which parts of schedules are
// searched. Simulated times decide what the paper says; a real device decides the order alone, as
// it is no phone.
namespace {

constexpr const char* our_name = "ours";
constexpr const char* mnn_name = "MNN";
constexpr const char* dnnfusion_name = "DNNFusion";
constexpr double ns_per_ms = 1e6;

/// The paper's table 7, in ms: half floats on an Adreno 740.
struct PublishedTime {
    const char* network;
    const char* called; ///< in the paper
    double mnn, dnnfusion, ours;

    [[nodiscard]] double of(const std::string& planner) const
    {
        return planner == mnn_name ? mnn : planner == dnnfusion_name ? dnnfusion : ours;
    }
};
constexpr std::array published{PublishedTime{"vit-b-16", "ViT", 533, 277, 88},
                               PublishedTime{"resnet-18", "ResNet-18", 10.9, 10.1, 8.6}};

/// The times of one judge: the simulator, or the device that the plans ran on.
class JudgedTimes {
public:
    JudgedTimes(const NetworkInference& data, bool simulated) : data_(data), simulated_(simulated)
    {}

    [[nodiscard]] bool simulated() const { return simulated_; }

    /// ns; nothing where there is none.
    [[nodiscard]] std::optional<double> time(const PublishedTime& network,
                                             const std::string& planner) const
    {
        const InferenceTime* const found = data_.find(network.network, planner);
        return found == nullptr ? std::nullopt
               : simulated_     ? std::optional(found->simulated_ns)
                                : found->measured_ns;
    }
    /// Time of one planner over another's.
    [[nodiscard]] std::optional<double>
    ratio(const PublishedTime& network, const std::string& above, const std::string& below) const
    {
        const auto a = time(network, above);
        const auto b = time(network, below);
        return a && b ? std::optional(*a / *b) : std::nullopt;
    }
    /// Ratios of two planners for all networks that have both, in the paper's order.
    [[nodiscard]] std::vector<std::pair<const PublishedTime*, double>>
    ratios(const std::string& above, const std::string& below) const
    {
        std::vector<std::pair<const PublishedTime*, double>> all;
        for (const PublishedTime& network : published) {
            if (const auto found = ratio(network, above, below)) {
                all.emplace_back(&network, *found);
            }
        }
        return all;
    }

private:
    const NetworkInference& data_;
    bool simulated_;
};

/// Whether every network takes longer with the plans of `slow` than with those of `fast`; not
/// tested where none ran.
std::string ratios_text(const std::vector<std::pair<const PublishedTime*, double>>& ratios)
{
    return joined(ratios, [](const auto& one) {
        return fmt::format("{} {:.2f} times", one.first->called, one.second);
    });
}

Finding faster(const JudgedTimes& times, const std::string& where, const std::string& slow,
               const std::string& fast, const std::string& claim, const std::string& paper,
               const char* why = "")
{
    const auto ratios = times.ratios(slow, fast);
    return {where + ": " + claim, paper, ratios.empty() ? "not run" : ratios_text(ratios),
            ratios.empty() ? Verdict::not_tested
                           : verdict_of(std::ranges::all_of(
                                 ratios, [](const auto& one) { return one.second > 1; })),
            why};
}

/// What any judge can decide: which plan is faster.
std::vector<Finding> order_findings(const JudgedTimes& times, const std::string& where)
{
    std::vector<Finding> findings{
        faster(times, where, mnn_name, our_name,
               "both networks take less time with our plans than with MNN's policy",
               "ViT 6.06 times, ResNet-18 1.27 times (section 6.5, table 7)"),
        faster(times, where, dnnfusion_name, our_name, "and less than with DNNFusion's",
               "ViT 3.15 times, ResNet-18 1.17 times (section 6.5, table 7)"),
        faster(times, where, mnn_name, dnnfusion_name,
               "with DNNFusion's policy both take less time than with MNN's",
               "ViT 1.92 times, ResNet-18 1.08 times (from table 7)",
               times.simulated()
                   ? "set-up: all plans fuse alike, so that DNNFusion's own fusion is "
                     "not in it; with SmartMem's layout the 3x3 convolutions of 14x14 "
                     "take 1.5 times as long as with MNN's, the others about as long"
                   : "")};
    // The paper's largest and smallest gain.
    Finding more{where + ": the gain over MNN's policy is larger for ViT than for ResNet-18",
                 "6.06 against 1.27 times (table 7)", "not run", Verdict::not_tested,
                 times.simulated() ? "set-up: 83 to 90 % of ViT's time are products with constant "
                                     "weights in any of the three plans, and these take 50, 48 and "
                                     "45 ms: where values lie hardly matters to them, and the 533 "
                                     "ms of the paper's MNN are of its own kernel texts"
                                   : ""};
    const auto vit = times.ratio(published[0], mnn_name, our_name);
    const auto resnet = times.ratio(published[1], mnn_name, our_name);
    if (vit && resnet) {
        more.ours = fmt::format("{:.2f} against {:.2f} times", *vit, *resnet);
        more.verdict = verdict_of(*vit > *resnet);
    }
    findings.push_back(std::move(more));
    return findings;
}

/// What only the simulated phone can be held to: the paper's own gains and milliseconds.
std::vector<Finding> paper_findings_of(const JudgedTimes& times)
{
    // A quarter either way for ratios, a factor of two for times; both bounds are ours.
    constexpr double near = 0.25;
    Finding gains{
        "simulated: the four gains over MNN and DNNFusion are the paper's, within a quarter",
        "6.06, 1.27 and 3.15, 1.17 times (table 7)", "not run", Verdict::not_tested,
        "set-up: all kernels come from one generator and fuse alike; with MNN's policy "
        "ViT takes 61 ms over these kernels, where the paper's MNN takes 533"};
    Finding latencies{
        "simulated: with our plans both networks take the paper's time, within a factor of two",
        "ViT 88 ms, ResNet-18 8.6 ms (table 7)", "not run", Verdict::not_tested,
        "profile: twice as many multiply-adds a cycle in half precision are assumed; "
        "in single floats, with the same 256 lanes as a core of the Adreno 630, "
        "ResNet-18 takes 5.8 ms"};
    std::vector<std::string> words;
    std::vector<std::string> close;
    bool all_near = true;
    bool all_close = true;
    // Over each of the two, for each network: four gains.
    for (const char* other : {mnn_name, dnnfusion_name}) {
        for (const auto& [network, ratio] : times.ratios(other, our_name)) {
            const double theirs = network->of(other) / network->ours;
            all_near = all_near && within(near, ratio, theirs);
            words.push_back(fmt::format("{} over {} {:.2f}", network->called, other, ratio));
        }
    }
    for (const PublishedTime& network : published) {
        if (const auto ns = times.time(network, our_name)) {
            all_close = all_close && within_factor(2, *ns / ns_per_ms, network.ours);
            close.push_back(fmt::format("{} {:.1f} ms", network.called, *ns / ns_per_ms));
        }
    }
    if (!words.empty()) {
        gains.ours = joined(words, std::identity{});
        gains.verdict = verdict_of(all_near);
    }
    if (!close.empty()) {
        latencies.ours = joined(close, std::identity{});
        latencies.verdict = verdict_of(all_close);
    }
    return {gains, latencies};
}

/// ns in ms, to the microsecond.
double in_ms(double ns)
{
    return std::round(ns / 1000) / 1000;
}

ResultTable table_of(const NetworkInference& data)
{
    ResultTable table{{"network", "planner", "kernels", "simulated_ms", "paper_ms", "measured_ms"},
                      {}};
    for (const InferenceTime& time : data.times) {
        const auto paper = std::ranges::find(published, time.network, &PublishedTime::network);
        table.rows.push_back({time.network, time.planner, time.kernels, in_ms(time.simulated_ns),
                              paper == published.end()
                                  ? ResultTable::Value("-")
                                  : ResultTable::Value(paper->of(time.planner)),
                              time.measured_ns ? ResultTable::Value(in_ms(*time.measured_ns))
                                               : ResultTable::Value("-")});
    }
    return table;
}

/// Planners in the order in which they were run.
std::vector<std::string> planner_names(const NetworkInference& data)
{
    std::vector<std::string> names;
    for (const InferenceTime& time : data.times) {
        if (std::ranges::find(names, time.planner) == names.end()) {
            names.push_back(time.planner);
        }
    }
    return names;
}

} // namespace

const InferenceTime* NetworkInference::find(const std::string& network,
                                            const std::string& planner) const
{
    const auto found = std::ranges::find_if(times, [&](const InferenceTime& time) {
        return time.network == network && time.planner == planner;
    });
    return found == times.end() ? nullptr : &*found;
}

std::vector<NetworkPlanner> inference_planners()
{
    return {planner_of(mnn_name, "mnn"), planner_of(dnnfusion_name, "smartmem"),
            planner_of(our_name, "ours")};
}

NetworkInference measure_inference(const ExperimentDevice& device, const InferenceOptions& options,
                                   const Progress& progress, const StopToken& stop)
{
    NetworkInference data{device.profile.name, device.real() ? device.name() : std::string{}, {}};
    const std::vector<NetworkPlanner> planners = inference_planners();
    for (const std::string& name : options.networks) {
        const networks::Graph graph = planned_network(name);
        for (const NetworkPlanner& planner : planners) {
            const Progress part = part_progress(progress, data.times.size(),
                                                options.networks.size() * planners.size());
            // Tuned and simulated on the profile's device first; a real device tunes its own plan
            // below.
            const TunedNetwork tuned =
                tuned_network(planner, graph, {device.profile}, options.tuning, part, stop);
            InferenceTime& time = data.times.emplace_back(InferenceTime{
                name, planner.name, std::ssize(tuned.kernel_ns), tuned.total_ns(), {}});
            if (device.real()) { // a phone's framework tunes on that phone
                const PredictedPlan there =
                    tuned_plan(planner, graph, device, options.tuning, part, stop);
                networks::NetworkRunOptions run;
                run.samples = options.tuning.runs;
                time.measured_ns = measure_network(graph, there.plan, drawn_inputs(graph, 1),
                                                   *device.on, run, false, stop)
                                       .whole_ns;
            }
        }
    }
    return data;
}

std::vector<Finding> inference_findings(const NetworkInference& data)
{
    const JudgedTimes simulated(data, true);
    std::vector<Finding> findings = order_findings(simulated, "simulated");
    std::ranges::move(paper_findings_of(simulated), std::back_inserter(findings));
    if (!data.measured_on.empty()) {
        std::ranges::move(order_findings(JudgedTimes(data, false), "on " + data.measured_on),
                          std::back_inserter(findings));
    }
    return findings;
}

PanelPlot inference_plot(const NetworkInference& data)
{
    // Time over ours, so that networks of any size share an axis.
    std::vector<std::string> categories;
    for (const PublishedTime& network : published) {
        if (data.find(network.network, our_name) != nullptr) {
            categories.emplace_back(network.called);
        }
    }
    const std::vector<std::string> names = planner_names(data);
    const auto panel = [&](const std::function<std::optional<double>(const PublishedTime&,
                                                                     const std::string&)>& ms) {
        std::vector<PanelPlot::Bars> series;
        for (const std::string& name : names) {
            PanelPlot::Bars& bars = series.emplace_back(PanelPlot::Bars{name, 1, {}});
            for (const PublishedTime& network : published) {
                if (data.find(network.network, our_name) != nullptr) {
                    const auto time = ms(network, name);
                    const auto ours = ms(network, our_name);
                    const double ratio = time && ours ? *time / *ours : 0;
                    bars.points.push_back({0, ratio,
                                           fmt::format("{}, {}: {:.2f} ms, {:.2f} times ours", name,
                                                       network.called, time.value_or(0), ratio)});
                }
            }
        }
        return series;
    };
    const auto judged = [&](bool simulated) {
        return panel([&data, simulated](const PublishedTime& network, const std::string& name) {
            const auto ns = JudgedTimes(data, simulated).time(network, name);
            return ns ? std::optional(*ns / ns_per_ms) : std::nullopt;
        });
    };
    std::vector<std::vector<PanelPlot::Bars>> panels{
        panel([](const PublishedTime& network, const std::string& name) {
            return std::optional(network.of(name));
        }),
        judged(true)};
    std::vector<std::string> titles{"paper: half floats, Adreno 740", "simulated: " + data.device};
    if (!data.measured_on.empty()) {
        panels.push_back(judged(false));
        titles.push_back("measured: " + data.measured_on);
    }
    PanelPlot plot = grouped_bars(categories, std::move(panels), titles);
    plot.title = "Inference of two networks, planned in three ways";
    plot.x_label = "network";
    plot.left_label = "time over ours";
    plot.panel_width = 300;
    return plot;
}

ExperimentResult run_network_inference(const ExperimentDevice& device, const Progress& progress,
                                       const StopToken& stop)
{
    const InferenceOptions options;
    const NetworkInference data = measure_inference(device, options, progress, stop);
    ExperimentResult::Conditions conditions{
        {"device", device.both_text()},
        {"networks",
         "vit-b-16 and resnet-18 at 224x224, a batch of one; half floats, as in the paper"},
        {"kernels", "all three plans are of the same kernels with the same fusion: what differs is "
                    "where tensors lie "
                    "and what of a schedule is searched"},
        {"MNN",
         "images of ceil(C/4) W x N H for everything, its tiles, work-groups tuned (policy mnn)"},
        {"DNNFusion", "where it puts tensors is not published: taken is what SmartMem's paper has "
                      "of it, the memory "
                      "optimisation of the DNNFusion that TMModel is built on (policy smartmem), "
                      "tile and work-group "
                      "tuned"},
        {"ours",
         "kernels and layouts of values searched together by the bottleneck model (policy ours)"},
        {"tuning", fmt::format("of each kernel the model's choice and up to {} more are timed on "
                               "the simulated device{}, "
                               "with any policy",
                               options.tuning.candidates,
                               device.real() ? ", and anew on the measured one" : "")},
        {"times",
         fmt::format(
             "the kernels one after the other, L2 kept, from samples of {} warp accesses each",
             options.tuning.accesses)},
    };
    return {std::move(conditions), table_of(data), inference_findings(data), inference_plot(data)};
}

} // namespace texelscope::experiments
