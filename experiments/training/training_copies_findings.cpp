#include "base/lists.hpp"
#include "experiments/shared/within.hpp"
#include "experiments/training/training_copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <utility>

namespace texelscope::experiments {
// What the study says of computing and copies, decided for each device by the steps of its four
// models.
namespace {

using StepNumber = std::function<std::optional<double>(const CopiedStep&)>;

/// The study's models 1 to 4: of one layer and of three, small and large.
constexpr std::array studied{"mlp-16-16", "mlp-16-16-16-16", "mlp-256-256", "mlp-784-256-128-16"};

/// The steps of one device.
struct DeviceSteps {
    std::string device;
    bool measured = false;
    bool cpu = false;
    std::vector<CopiedStep> steps;

    [[nodiscard]] std::optional<double> of(const char* network, const StepNumber& number) const
    {
        const auto found = std::ranges::find(steps, network, &CopiedStep::network);
        return found == steps.end() ? std::nullopt : number(*found);
    }
};

/// Steps by device, simulated ones apart from measured ones, in the order of their first step.
std::vector<DeviceSteps> by_device(const std::vector<CopiedStep>& steps)
{
    std::vector<DeviceSteps> devices;
    for (const CopiedStep& step : steps) {
        const auto same = [&](const DeviceSteps& one) {
            return one.device == step.device && one.measured == step.measured;
        };
        auto found = std::ranges::find_if(devices, same);
        if (found == devices.end()) {
            devices.push_back({step.device, step.measured, step.cpu, {}});
            found = devices.end() - 1;
        }
        found->steps.push_back(step);
    }
    return devices;
}

/// A number of each network of a device. The finding holds if `holds` does for all of them; it is
/// not tested where there is no number.
Finding of_all(std::string claim, std::string paper, const DeviceSteps& device,
               const StepNumber& number, const std::function<std::string(double)>& text,
               const std::function<bool(double)>& holds, const char* why = "")
{
    Finding finding{std::move(claim), std::move(paper), "not measured", Verdict::not_tested, why};
    std::vector<std::string> words;
    bool all = true;
    for (const CopiedStep& step : device.steps) {
        if (const auto value = number(step)) {
            all = all && holds(*value);
            words.push_back(step.network + " " + text(*value));
        }
    }
    if (!words.empty()) {
        finding.ours = joined(words, std::identity{});
        finding.verdict = verdict_of(all);
    }
    return finding;
}

std::string times_text(double ratio)
{
    return fmt::format("{:.2f} times", ratio);
}

std::string percent_text(double share)
{
    return fmt::format("{:.1f} %", 100 * share);
}

/// Whether the ratios of two pairs of networks are as claimed; not tested unless both are there.
Finding of_pairs(std::string claim, std::string paper, const DeviceSteps& device,
                 const StepNumber& ns,
                 const std::array<std::pair<const char*, const char*>, 2>& pairs,
                 const std::function<bool(double)>& holds, const char* why = "")
{
    Finding finding{std::move(claim), std::move(paper), "not measured", Verdict::not_tested, why};
    std::vector<std::string> words;
    bool all = true;
    for (const auto& [above, below] : pairs) {
        const auto a = device.of(above, ns);
        const auto b = device.of(below, ns);
        if (a && b) {
            all = all && holds(*a / *b);
            words.push_back(fmt::format("{} over {} {:.2f} times", above, below, *a / *b));
        }
    }
    if (words.size() == pairs.size()) {
        finding.ours = joined(words, std::identity{});
        finding.verdict = verdict_of(all);
    }
    return finding;
}

/// Why steps of a simulated phone do not grow as the study's do.
constexpr const char* no_copies =
    "set-up: it is computing alone, which grows with the width; the study's steps are copies for "
    "nine tenths, and what those take on a phone is not known here";
/// Why copies take less of a measured step.
constexpr const char* short_kernels =
    "set-up, probably: the device is no phone's; most of its kernels take as long as a launch, not "
    "as their products, so that computing is a larger share";

/// How a step grows with the number of layers, and with their width. `ns`: time of a step.
std::vector<Finding> growth(const std::string& where, const DeviceSteps& device,
                            const StepNumber& ns, const char* why = "")
{
    return {of_pairs(
                where + ": three layers take two to four times as long as one",
                "about 3 times: each operation requires additional data movement (section "
                "IV-B, figure 4)",
                device, ns, {{{studied[1], studied[0]}, {studied[3], studied[2]}}},
                [](double ratio) { return ratio >= 2 && ratio <= 4; }, why),
            of_pairs(
                where + ": large layers take as long as small ones, within a factor of two",
                "roughly similar: computing on the GPU is very fast (section IV-B, figure 4)",
                device, ns, {{{studied[2], studied[0]}, {studied[3], studied[1]}}},
                [](double ratio) { return within_factor(2, ratio, 1); }, why)};
}

/// What share of a step copies take, as they are for a whole step, and for every product by itself.
std::vector<Finding> of_copies(const std::string& where, const DeviceSteps& gpu)
{
    const auto share = [](const CopiedStep& step) { return step.computing_share(step.step); };
    // Time of copies over time of computing.
    const auto over = [](const CopiedStep& step) -> std::optional<double> {
        return step.step.ns ? std::optional(*step.step.ns / step.computing_ns()) : std::nullopt;
    };
    const auto products = [](const CopiedStep& step) {
        return step.computing_share(step.products);
    };
    return {of_all(where + ": computing is less than half of each step, copies are the rest",
                   "computing about 9 %, copies 91 %, on all three phones (section IV-C)", gpu,
                   share, percent_text, [](double value) { return value < 0.5; }),
            of_all(
                where + ": copies take 10 to 15 times as long as computing",
                "about 10 to 15 times (section I)", gpu, over, times_text,
                [](double value) { return value >= 10 && value <= 15; }, short_kernels),
            of_all(
                where + ": where every product copies its matrices, computing is 5 to 15 % of it",
                "about 9 % (section IV-C); each operation requires additional data movement "
                "(section IV-B)",
                gpu, products, percent_text,
                [](double value) { return value >= 0.05 && value <= 0.15; }, short_kernels)};
}

/// A GPU against a CPU, each with what a step costs there.
std::vector<Finding> against_cpu(const std::string& where, const DeviceSteps& gpu,
                                 const DeviceSteps& cpu)
{
    const auto ratio = [&](const CopiedStep& step) -> std::optional<double> {
        const auto other = cpu.of(step.network.c_str(), &CopiedStep::step_ns);
        const auto own = step.step_ns();
        return own && other ? std::optional(*own / *other) : std::nullopt;
    };
    const std::string pair = where + " against " + cpu.device;
    return {of_all(
                pair + ": with copies every step takes longer on the GPU",
                "ratios above one (section IV-B, figures 4d and 4e)", gpu, ratio, times_text,
                [](double value) { return value > 1; },
                "set-up: large layers take this CPU four to six times as long as this GPU, which "
                "is more than the copies take; the study's phones have slower GPUs"),
            of_pairs(pair + ": the GPU's time over the CPU's is smaller for large layers",
                     "small ratio values of models 3 and 4 (section IV-B)", gpu, ratio,
                     {{{studied[2], studied[0]}, {studied[3], studied[1]}}},
                     [](double value) { return value < 1; })};
}

void append(std::vector<Finding>& findings, std::vector<Finding> more)
{
    std::ranges::move(more, std::back_inserter(findings));
}

PanelPlot::Bars bars_of(const std::string& name, const DeviceSteps& device, const StepNumber& ns)
{
    PanelPlot::Bars bars{name, 1, {}};
    for (const char* network : studied) {
        const double us = device.of(network, ns).value_or(0) / 1000;
        bars.points.push_back({0, us, fmt::format("{}, {}: {:.2f} us", network, name, us)});
    }
    return bars;
}

} // namespace

std::vector<Finding> copied_steps_findings(const std::vector<CopiedStep>& steps)
{
    const std::vector<DeviceSteps> devices = by_device(steps);
    const auto is_gpu = [](const DeviceSteps& one) { return one.measured && !one.cpu; };
    const auto is_cpu = [](const DeviceSteps& one) { return one.measured && one.cpu; };
    std::vector<Finding> findings;
    for (const DeviceSteps& one : devices) {
        // Without copies only the growth of computing can be told.
        if (!one.measured) {
            append(findings,
                   growth(
                       "simulated, computing alone", one,
                       [](const CopiedStep& step) { return std::optional(step.computing_ns()); },
                       no_copies));
        }
    }
    std::vector<DeviceSteps> gpus;
    std::ranges::copy_if(devices, std::back_inserter(gpus), is_gpu);
    // Without a measured GPU its findings are listed as not tested.
    if (gpus.empty()) {
        gpus.push_back({"a GPU", true, false, {}});
    }
    const auto cpu = std::ranges::find_if(devices, is_cpu);
    for (const DeviceSteps& gpu : gpus) {
        const std::string where = "on " + gpu.device;
        append(findings, of_copies(where, gpu));
        append(findings, growth(where, gpu, &CopiedStep::step_ns));
        if (cpu != devices.end()) {
            append(findings, against_cpu(where, gpu, *cpu));
        }
    }
    return findings;
}

PanelPlot copied_steps_plot(const std::vector<CopiedStep>& steps)
{
    // One and three layers in the study's order; the names' common beginning would not fit.
    const std::vector<std::string> categories{"16-16", "16-16-16-16", "256-256", "784-...-16"};
    std::vector<std::vector<PanelPlot::Bars>> panels;
    std::vector<std::string> titles;
    for (const DeviceSteps& device : by_device(steps)) {
        panels.push_back(
            {bars_of("forward", device,
                     [](const CopiedStep& step) { return std::optional(step.forward_ns); }),
             bars_of("backward", device,
                     [](const CopiedStep& step) { return std::optional(step.backward_ns); }),
             bars_of("copies of a step", device,
                     [](const CopiedStep& step) { return step.step.ns; }),
             bars_of("copies of every product", device,
                     [](const CopiedStep& step) { return step.products.ns; })});
        titles.push_back((device.measured ? "measured: " : "simulated: ") + device.device);
    }
    PanelPlot plot = grouped_bars(categories, std::move(panels), titles);
    plot.title = "A step of training, a batch of 32: computing and copies";
    plot.x_label = "layers";
    plot.left_label = "time [us]";
    plot.left_log = true;
    plot.panel_width = 330;
    return plot;
}

} // namespace texelscope::experiments
