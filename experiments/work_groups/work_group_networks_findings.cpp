#include "base/lists.hpp"
#include "base/progress.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "experiments/shared/within.hpp"
#include "experiments/work_groups/work_group_networks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace texelscope::experiments {
// What the paper says of whole networks, decided for an Adreno and a Mali.
namespace {

constexpr double percent = 100;
constexpr const char* times_alone = "a real device tells times alone";

/// Networks on the devices of a family (gpu_family()); empty: on all.
std::vector<const WorkGroupNetwork*> of_vendor(const std::vector<WorkGroupNetwork>& all,
                                               const std::string& vendor)
{
    std::vector<const WorkGroupNetwork*> some;
    for (const WorkGroupNetwork& one : all) {
        if (vendor.empty() || gpu_family(one.device) == vendor) {
            some.push_back(&one);
        }
    }
    return some;
}

/// Whether something ran on a real device, which tells no shares.
bool is_measured(const std::vector<const WorkGroupNetwork*>& some)
{
    return std::ranges::any_of(some, &WorkGroupNetwork::measured);
}

/// Mean of a member, or of a function, over the networks.
template <class Value>
double mean_over(const std::vector<const WorkGroupNetwork*>& some, const Value& value)
{
    return std::transform_reduce(
               some.begin(), some.end(), 0.0, std::plus<>(),
               [&](const WorkGroupNetwork* one) { return std::invoke(value, *one); }) /
           static_cast<double>(some.size());
}

template <class Value>
/// The share of each network, in words.
std::string each_percent(const std::vector<const WorkGroupNetwork*>& some, const Value& value)
{
    return joined(some, [&](const WorkGroupNetwork* one) {
        return fmt::format("{} {:.1f} %", one->network, percent * std::invoke(value, *one));
    });
}

/// Whether the mean share over the networks is the paper's, within 15 percentage points. The bound
/// is ours.
template <class Value>
Finding mean_finding(const std::vector<WorkGroupNetwork>& all, const std::string& vendor,
                     const std::string& what, double theirs, const Value& value,
                     const char* why = "")
{
    constexpr double near = 0.15;
    const auto some = of_vendor(all, vendor);
    Finding finding{
        fmt::format(
            "{}: {}, on average of the networks, within 15 percentage points of the paper's",
            vendor, what),
        fmt::format("{:.1f} % (section 3.2, figure 3)", percent * theirs), "not run",
        Verdict::not_tested, why};
    if (is_measured(some)) {
        finding.ours = times_alone;
    } else if (!some.empty()) {
        const double mean = mean_over(some, value);
        finding.ours = fmt::format("{:.1f} %: {}", percent * mean, each_percent(some, value));
        finding.verdict = verdict_of(std::abs(mean - theirs) <= near);
    }
    return finding;
}

/// The gain that the rules bring on average; the paper's number stands beside it.
Finding gain_finding(const std::vector<WorkGroupNetwork>& all, const std::string& vendor,
                     double theirs, const char* why)
{
    const auto some = of_vendor(all, vendor);
    Finding finding{
        fmt::format(
            "{}: with the rules' work-groups the networks take less time on average than with "
            "TFLite's",
            vendor),
        fmt::format("{} % less on average (section 4.2, figure 6)", theirs), "not run",
        Verdict::not_tested, why};
    if (!some.empty()) {
        const double mean = mean_over(some, &WorkGroupNetwork::saved);
        finding.ours = fmt::format("{:.1f} %: {}", percent * mean,
                                   each_percent(some, &WorkGroupNetwork::saved));
        finding.verdict = verdict_of(mean > 0);
    }
    return finding;
}

} // namespace

std::vector<Finding> work_group_network_findings(const std::vector<WorkGroupNetwork>& all)
{
    const auto everything = of_vendor(all, "");
    Finding never{"no network takes longer with the rules' work-groups",
                  "figure 6 shows a gain for every network", "not run", Verdict::not_tested,
                  "set-up: as on average"};
    Finding most{"the largest gain is of a network made for phones, MobileNetV1",
                 "up to 32.8 %, small networks such as MobileNetV1 (section 4.2)", "not run",
                 Verdict::not_tested, "set-up: as on average; only both VGGs gain, on the Adreno"};
    // Shares of figure 3: cores and arithmetic units, each over all networks of a phone.
    Finding idle{
        "on every device and network memory has bandwidth left: less than half of it is used",
        "21 % on Mali and 49 % on Adreno for VGG, less for small networks (section 3.2, figure 3)",
        "not run"};
    Finding alus{"the arithmetic units are used less than the cores, in every network",
                 "cores 91.2 and 89.8 %, arithmetic units 32 and 54.3 % (section 3.2, figure 3)",
                 "not run"};
    // Runs alone: building a kernel for each size, which takes longer, is not simulated.
    Finding trying{
        "where each size is run, as TFLite does on Mali, the runs alone take at least 100 times "
        "the inference",
        "initialisation takes 2.7 s to 24 minutes on Mali (table 2), hundreds of inferences or "
        "more",
        "not run", Verdict::not_tested,
        "set-up: building a kernel for each size is not in it, which is most of an initialisation "
        "of minutes; sizes of other layers are not counted"};
    if (!all.empty()) {
        const auto least = std::ranges::min_element(all, {}, &WorkGroupNetwork::saved);
        const auto best = std::ranges::max_element(all, {}, &WorkGroupNetwork::saved);
        const auto words = [](const WorkGroupNetwork& one) {
            return fmt::format("{} on {} {:.1f} %", one.network, one.device, percent * one.saved());
        };
        never.ours = "least: " + words(*least);
        never.verdict = verdict_of(least->saved() >= 0);
        most.ours = words(*best);
        most.verdict = verdict_of(best->network == "mobilenet-v1");
    }
    if (is_measured(everything)) {
        idle.ours = alus.ours = times_alone;
    } else if (!all.empty()) {
        const auto busiest =
            std::ranges::max_element(all, {}, &WorkGroupNetwork::memory_utilisation);
        idle.ours = fmt::format("most: {} on {} {:.1f} %", busiest->network, busiest->device,
                                percent * busiest->memory_utilisation);
        // Half is our bound; the paper's largest is 49 %.
        idle.verdict = verdict_of(busiest->memory_utilisation < 0.5);
        alus.ours =
            fmt::format("cores {:.1f} %, arithmetic units {:.1f} % on average",
                        percent * mean_over(everything, &WorkGroupNetwork::core_utilisation),
                        percent * mean_over(everything, &WorkGroupNetwork::alu_utilisation));
        alus.verdict = verdict_of(std::ranges::all_of(all, [](const WorkGroupNetwork& one) {
            return one.alu_utilisation < one.core_utilisation;
        }));
    }
    if (const auto malis = of_vendor(all, "mali"); !malis.empty()) {
        trying.ours = joined(malis, [](const WorkGroupNetwork* one) {
            return fmt::format("{} {} sizes, {:.1f} s, {:.0f} times", one->network, one->sizes,
                               one->trying_ns / 1e9, one->trying_ns / one->tflite_ns);
        });
        trying.verdict = verdict_of(std::ranges::all_of(malis, [](const WorkGroupNetwork* one) {
            return one->trying_ns >= 100 * one->tflite_ns;
        }));
    }
    return {
        gain_finding(all, "adreno", 13,
                     "set-up: TFLite's rule is the current one, with 256 work-items that span all "
                     "channels; the "
                     "paper's table of 2020 is not at hand. Of ResNet-101's convolutions the "
                     "rules' sizes take "
                     "1.2 times, sizes at random 2.3 times as long as that rule's; of "
                     "InceptionV3's 1.7 and 2.4 "
                     "times. Leaving out any one rule does not bring them to it"),
        gain_finding(
            all, "mali", 8,
            "set-up: TFLite's is the fastest of eight that are run, the rules' is one of many that "
            "are "
            "left. Of MobileNetV1's convolutions the eight take 1.3 times the fastest's time on "
            "average, the rules' sizes 1.6 times, sizes at random 2.1 times"),
        never,
        most,
        mean_finding(all, "adreno", "cores are busy", 0.912, &WorkGroupNetwork::core_utilisation),
        mean_finding(all, "mali", "cores are busy", 0.898, &WorkGroupNetwork::core_utilisation),
        mean_finding(all, "adreno", "arithmetic units are busy", 0.32,
                     &WorkGroupNetwork::alu_utilisation),
        mean_finding(all, "mali", "arithmetic units are busy", 0.543,
                     &WorkGroupNetwork::alu_utilisation,
                     "profile, probably: what an operation on addresses costs a Mali's core, and "
                     "what is issued "
                     "with it, is assumed"),
        alus,
        idle,
        trying};
}

PanelPlot work_group_network_plot(const std::vector<WorkGroupNetwork>& all)
{
    std::vector<std::string> devices;
    for (const WorkGroupNetwork& one : all) {
        if (std::ranges::find(devices, one.device) == devices.end()) {
            devices.push_back(one.device);
        }
    }
    std::vector<std::string> categories;
    std::vector<std::vector<PanelPlot::Bars>> panels;
    for (const std::string& device : devices) {
        // A panel for each device, two bars for each network, as figure 6 has them.
        PanelPlot::Bars tflite{"TFLite", 1, {}};
        PanelPlot::Bars rules{"rules", 1, {}};
        categories.clear();
        for (const WorkGroupNetwork& one : all) {
            if (one.device == device) {
                // Names are broken in two, as bars leave little room.
                std::string name = one.network;
                categories.push_back(name.replace(name.rfind('-'), 1, "\n-"));
                const auto bar = [&](double ns) {
                    return PanelPlot::Point{0, ns / 1e6,
                                            fmt::format("{}: {:.1f} ms", one.network, ns / 1e6)};
                };
                tflite.points.push_back(bar(one.tflite_ns));
                rules.points.push_back(bar(one.rules_ns));
            }
        }
        panels.push_back({std::move(tflite), std::move(rules)});
    }
    PanelPlot plot = grouped_bars(categories, std::move(panels), devices);
    plot.title = "Networks with the work-groups of TFLite and of the rules";
    plot.x_label = "network";
    plot.left_label = "ms";
    plot.panel_width = 620;
    return plot;
}

ExperimentResult run_work_group_networks(const ExperimentDevice& device, const Progress& progress,
                                         const StopToken& stop)
{
    const WorkGroupNetworkOptions options;
    std::vector<ExperimentDevice> devices{device};
    // The paper's own pair of phones.
    const DeviceProfile other = find_profile("mali-g72");
    if (!device.real() && device.profile.name == "adreno-630") {
        devices.push_back({other});
    }
    // Times in ms, shares from 0 to 1, but for what is saved, which is in percent.
    ResultTable table{{"device", "network", "tflite_ms", "rules_ms", "saved_percent",
                       "core_utilisation", "alu_utilisation", "rules_alu_utilisation",
                       "memory_utilisation", "sizes", "trying_ms"},
                      {}};
    const auto rounded = [](double value) { return std::round(1000 * value) / 1000; };
    const auto share = [&](double value) {
        return device.real() ? ResultTable::Value("-") : ResultTable::Value(rounded(value));
    };
    std::vector<WorkGroupNetwork> all;
    LeftOut left_out(device);
    for (const ExperimentDevice& one : devices) {
        for (const std::string& network : options.networks) {
            left_out.run([&] {
                all.push_back(measure_work_group_network(
                    network, one, options,
                    part_progress(progress, all.size(), devices.size() * options.networks.size()),
                    stop));
                const WorkGroupNetwork& last = all.back();
                table.rows.push_back({last.device, last.network, rounded(last.tflite_ns / 1e6),
                                      rounded(last.rules_ns / 1e6), rounded(percent * last.saved()),
                                      share(last.core_utilisation), share(last.alu_utilisation),
                                      share(last.rules_alu_utilisation),
                                      share(last.memory_utilisation), last.sizes,
                                      rounded(last.trying_ns / 1e6)});
            });
        }
    }
    left_out.require(!all.empty());
    ExperimentResult::Conditions conditions{
        {"devices", (device.real() ? device.text()
                                   : joined(devices, &ExperimentDevice::name) + ", simulated") +
                        "; the paper has an Adreno 640 and a Mali-G76 as well"},
        {"networks",
         joined(options.networks, std::identity{}) + ": the paper's nine, single floats"},
        {"plans", "tiles and layouts of TFLite's GPU delegate (policy mldrift), lanes along the "
                  "width first, in both cases"},
        {"TFLite", fmt::format("on Adreno the work-group by its rule, as it tries none there; on "
                               "Mali the fastest of those "
                               "it runs, of which {} evenly spaced ones are {}",
                               options.trials, device.word())},
        {"rules", "of each convolution a size that is left when the five rules are applied one "
                  "after the other, drawn; a "
                  "rule that would leave none is passed over; other kernels stay as they are"},
        {"utilisation", "of each kernel by its time: cores until they are done, arithmetic in "
                        "these cycles, bytes that "
                        "memory brings over what it could in the time (writes are not counted)"},
        {"trying", "sizes of all convolutions that differ, each once, at the time of the chosen "
                   "one; building kernels is "
                   "not in it"},
        {"not in it", "CPUs (figure 1 and the half of table 1 that is theirs)"},
        {"runs",
         device.real()
             ? fmt::format("measured: the kernels one after the other, medians of {} runs of the "
                           "network; outputs are not checked, as network run does",
                           experiment_runs().samples)
             : fmt::format("the kernels one after the other, from samples of {} warp accesses each",
                           options.accesses)},
    };
    add_left_out(conditions, left_out.reasons());
    return {std::move(conditions), std::move(table),
            decided_on(device, work_group_network_findings(all)), work_group_network_plot(all)};
}

} // namespace texelscope::experiments
