#include "experiments/tmmodel/network_kernels.hpp"

#include "base/lists.hpp"
#include "base/progress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace texelscope::experiments {
// Kernels of two networks at their own shapes, each weighted by how often the network has it.
namespace {

constexpr std::array<Framework, 1> compared{Framework::mnn};
constexpr const char* mobilenet = "MobileNetV2";
constexpr const char* vit = "ViT-B/16";

/// Adds a kernel to those of a network; one that is there already counts once more.
void add(std::vector<NetworkKernel>& kernels, const char* network, const char* op,
         const std::string& shape, int count = 1)
{
    Operator one = parse_operator(op, shape);
    const auto same = std::ranges::find_if(kernels, [&](const NetworkKernel& kernel) {
        return kernel.network == network && to_string(kernel.op) == to_string(one);
    });
    if (same != kernels.end()) {
        same->count += count;
    } else {
        kernels.push_back({network, std::move(one), count});
    }
}

/// 1x1, depthwise 3x3, 1x1 of every block, and the last 1x1; the first convolution is left out.
void add_mobilenet(std::vector<NetworkKernel>& kernels)
{
    struct Bottleneck { // a row of the paper's table 2
        int expansion, channels, repeats, stride;
    };
    constexpr std::array<Bottleneck, 7> rows{{{1, 16, 1, 1},
                                              {6, 24, 2, 2},
                                              {6, 32, 3, 2},
                                              {6, 64, 4, 2},
                                              {6, 96, 3, 1},
                                              {6, 160, 3, 2},
                                              {6, 320, 1, 1}}};
    const auto pointwise = [&](int side, int in, int out) {
        add(kernels, mobilenet, "conv2d", fmt::format("1,{0},{0},{1},{2},1,1,1", side, in, out));
    };
    int side = 112; // side after the first convolution, which has 32 channels
    int in = 32;
    for (const Bottleneck& row : rows) {
        for (int i = 0; i < row.repeats; ++i) {
            const int inner = in * row.expansion;
            const int stride = i == 0 ? row.stride : 1;
            if (row.expansion > 1) {
                pointwise(side, in, inner);
            }
            add(kernels, mobilenet, "dwconv2d",
                fmt::format("1,{0},{0},{1},3,3,{2}", side, inner, stride));
            side /= stride;
            pointwise(side, inner, row.channels);
            in = row.channels;
        }
    }
    pointwise(side, in, 1280);
}

void add_vit(std::vector<NetworkKernel>& kernels)
{
    constexpr int tokens = 197, width = 768, layers = 12, heads = 12, inner = 3072;
    /// m x n outputs of k products each, `count` times in the network.
    const auto product = [&](int m, int n, int k, int count) {
        add(kernels, vit, "matmul", fmt::format("{},{},{}", m, n, k), count);
    };
    product(tokens, width, width, 4 * layers); // queries, keys, values, and after attention
    // The scores of each head, and what they select of the values.
    product(tokens, tokens, width / heads, layers * heads);
    product(tokens, width / heads, tokens, layers * heads);
    product(tokens, inner, width, layers);
    product(tokens, width, inner, layers);
}

/// The speed-up of a network's kernels on every device, in words.
std::string speedups_text(const std::vector<NetworkStudy>& studies, const char* network,
                          TimedChoice ComparedChoices::*ours = &ComparedChoices::shortlist)
{
    std::vector<std::string> parts;
    for (const NetworkStudy& study : studies) {
        if (const std::optional<double> speedup = study.speedup(network, ours)) {
            parts.push_back(fmt::format("{:.2f} times on {}", *speedup, study.device));
        }
    }
    return parts.empty() ? "not measured" : fmt::format("{}", fmt::join(parts, ", "));
}

constexpr const char* of_training =
    "set-up: the paper's 68.8 times is of training; the forward kernels are compared here";

/// On the first device, which is the paper's or a real one.
Finding faster(const std::vector<NetworkStudy>& studies, const char* network, const char* paper,
               const char* why = "")
{
    const std::optional<double> speedup =
        studies.empty() ? std::nullopt : studies.front().speedup(network);
    return {
        fmt::format(
            "the kernels of {} are faster with our choices than with those of MNN's rules on {}",
            network, studies.empty() ? "the Mali G77" : studies.front().device),
        paper, speedups_text(studies, network),
        speedup ? verdict_of(*speedup > 1) : Verdict::not_tested, why};
}

ResultTable table_of(const std::vector<NetworkStudy>& studies)
{
    ResultTable table{{"device", "network", "operator", "count", "ns", "mnn_ns", "speedup",
                       "config", "mnn_config"},
                      {}};
    for (const NetworkStudy& study : studies) {
        for (const NetworkResult& result : study.kernels) {
            const TimedChoice& ours = result.choices.shortlist;
            const TimedChoice& mnn =
                *result.choices.frameworks[static_cast<std::size_t>(Framework::mnn)];
            table.rows.push_back({study.device, result.kernel.network, to_string(result.kernel.op),
                                  std::int64_t{result.kernel.count}, std::round(ours.time.value),
                                  std::round(mnn.time.value), thousandths(result.speedup()),
                                  to_string(ours.choice.schedule), to_string(mnn.choice.schedule)});
        }
    }
    return table;
}

} // namespace

std::vector<NetworkKernel> network_kernels()
{
    std::vector<NetworkKernel> kernels;
    add_mobilenet(kernels);
    add_vit(kernels);
    return kernels;
}

double NetworkResult::speedup() const
{
    return *choices.speedup(Framework::mnn);
}

std::optional<double> NetworkStudy::speedup(const std::string& network,
                                            TimedChoice ComparedChoices::*ours) const
{
    // Times weigh by how often the network has the kernel, so a sum is that of a network's kernels.
    double our_time = 0;
    double their_time = 0;
    for (const NetworkResult& result : kernels) {
        if (result.kernel.network == network) {
            const double time = (result.choices.*ours).time.value * result.kernel.count;
            our_time += time;
            their_time += time * *result.choices.speedup(Framework::mnn, ours);
        }
    }
    return our_time > 0 ? std::optional(their_time / our_time) : std::nullopt;
}

NetworkStudy measure_network_kernels(const std::vector<NetworkKernel>& kernels,
                                     const ExperimentDevice& device, const CompareOptions& options,
                                     const Progress& progress, const StopToken& stop)
{
    const Calibration calibration = calibrate_profile(device.profile, 1, stop);
    NetworkStudy study{device.name(), {}};
    LeftOut left_out(device);
    for (const NetworkKernel& kernel : kernels) {
        tell(progress, fmt::format("{} on {}", to_string(kernel.op), device.name()),
             study.kernels.size(), kernels.size());
        left_out.run([&] {
            ComparedChoices choices =
                compare_choices(kernel.op, device, calibration, compared, options, stop);
            // Without a choice of MNN there is nothing to compare.
            if (choices.speedup(Framework::mnn)) {
                study.kernels.push_back({kernel, std::move(choices)});
            }
        });
    }
    left_out.require(!study.kernels.empty());
    study.left_out = left_out.reasons();
    return study;
}

std::vector<Finding> network_findings(const std::vector<NetworkStudy>& studies)
{
    Finding more{"the gain is larger for MobileNetV2 than for ViT",
                 "68.8 against 3.09 times (table 6)", "not measured", Verdict::not_tested,
                 of_training};
    Finding printed{"the choices of the model as printed, which runs nothing, are faster than "
                    "MNN's, too, for both",
                    "68.8 and 3.09 times (table 6)", "not measured", Verdict::not_tested,
                    equation_6_as_printed};
    Finding carries{
        "the gains carry over: on both devices they are above 1 for both networks",
        "1.83 to 66.1 times on an Adreno 740 (table 4), 68.8 and 3.09 on a Mali G77 (table 6)",
        "one device alone", Verdict::not_tested,
        "set-up: the paper's gains are of training; the forward kernels are compared here"};
    // The first device is the paper's, or a real one.
    if (!studies.empty()) {
        const auto first = studies.front().speedup(mobilenet);
        const auto second = studies.front().speedup(vit);
        if (first && second) {
            more.ours = fmt::format("{:.2f} against {:.2f} times", *first, *second);
            more.verdict = verdict_of(*first > *second);
            const double conv = *studies.front().speedup(mobilenet, &ComparedChoices::literal);
            const double attention = *studies.front().speedup(vit, &ComparedChoices::literal);
            printed.ours = fmt::format("{:.2f} and {:.2f} times", conv, attention);
            printed.verdict = verdict_of(conv > 1 && attention > 1);
        }
    }
    if (studies.size() > 1) {
        carries.ours = fmt::format("{}: {}; {}: {}", mobilenet, speedups_text(studies, mobilenet),
                                   vit, speedups_text(studies, vit));
        carries.verdict = verdict_of(std::ranges::all_of(studies, [](const NetworkStudy& study) {
            return study.speedup(mobilenet).value_or(0) > 1 && study.speedup(vit).value_or(0) > 1;
        }));
    }
    return {faster(studies, mobilenet, "68.8 times in training, against MNN (section 6.5, table 6)",
                   of_training),
            faster(studies, vit, "3.09 times in training, against MNN (section 6.5, table 6)"),
            more, printed, carries};
}

/// A disc for each kernel, ordered by its multiply-adds; colours tell the operators apart.
PanelPlot network_plot(const std::vector<NetworkStudy>& studies)
{
    PanelPlot plot;
    plot.title = "Speed-up of our choices over MNN's rules, kernels of two networks";
    plot.x_label = "kernels of a network, by multiply-adds";
    plot.left_label = "time of MNN's choice over ours";
    plot.panel_width = 420;
    std::size_t most = 0;
    for (const NetworkStudy& study : studies) {
        PanelPlot::Panel panel;
        panel.title = study.device;
        std::vector<const NetworkResult*> sorted =
            mapped(study.kernels, [](const NetworkResult& result) { return &result; });
        std::ranges::stable_sort(
            sorted, {}, [](const NetworkResult* result) { return result->kernel.op.flops; });
        const std::array<std::pair<const char*, const char*>, 3> kinds{
            {{"depthwise", "dwconv2d"}, {"1x1", "conv2d"}, {"matrix product", "matmul"}}};
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            PanelPlot::Curve curve{
                .name = kinds[k].first, .colour = static_cast<int>(k) + 1, .line = false};
            for (std::size_t i = 0; i < sorted.size(); ++i) {
                if (sorted[i]->kernel.op.name == kinds[k].second) {
                    curve.points.push_back(
                        {static_cast<double>(i + 1), sorted[i]->speedup(),
                         fmt::format("{}: {:.2f}", to_string(sorted[i]->kernel.op),
                                     sorted[i]->speedup())});
                }
            }
            panel.curves.push_back(std::move(curve));
        }
        most = std::max(most, sorted.size());
        plot.panels.push_back(std::move(panel));
    }
    plot.x_high = static_cast<double>(most) + 1;
    for (std::size_t tick = 5; tick <= most; tick += 5) {
        plot.x_ticks.push_back(static_cast<double>(tick));
    }
    for (PanelPlot::Panel& panel : plot.panels) {
        panel.curves.push_back(
            {"as fast", 0, PanelPlot::Axis::left, {{0, 1, ""}, {plot.x_high, 1, ""}}});
    }
    return plot;
}

ExperimentResult run_network_kernels(const ExperimentDevice& device, const Progress& progress,
                                     const StopToken& stop)
{
    const CompareOptions options;
    // The paper's device comes first; findings that compare devices need a second. A real device
    // decides them alone.
    const DeviceProfile paper = find_profile("mali-g77");
    std::vector<ExperimentDevice> devices;
    if (!device.real()) {
        devices.push_back({paper});
    }
    if (device.real() || device.profile.name != paper.name) {
        devices.push_back(device);
    }
    const std::vector<NetworkKernel> kernels = network_kernels();
    std::vector<NetworkStudy> studies;
    for (const ExperimentDevice& one : devices) {
        studies.push_back(measure_network_kernels(
            kernels, one, options, part_progress(progress, studies.size(), devices.size()), stop));
    }
    ExperimentResult::Conditions conditions{
        {"devices", device.real() ? device.text() + "; the paper's mali-g77 is not beside it"
                                  : "the paper's mali-g77 and the one given, simulated"},
        {"kernels",
         "forward, at the networks' own shapes: depthwise and 1x1 convolutions of MobileNetV2 at "
         "224x224, "
         "matrix products of ViT-B/16 with 197 tokens; each weighs as often as the network has it"},
        {"not in it", "training, other layers, fusion and memory traffic between kernels, which "
                      "the paper's latencies of "
                      "whole networks have; weights in buffers, which the paper uses on the Mali"},
        {"MNN", "its rules for 1x1 convolutions and matrix products; for depthwise ones the "
                "default kernel with every "
                "work-group of powers of two"},
        {"ours",
         fmt::format("A, T, W and G: the bottleneck model's first {}, each run", options.tries)},
        {"runs",
         fmt::format("{}; of what MNN would run, the bottleneck model's first {}",
                     device.times_text(sampled_text(options.sample)), options.frameworks.of_all)},
    };
    add_left_out(conditions, studies.back().left_out);
    return {std::move(conditions), table_of(studies), decided_on(device, network_findings(studies)),
            network_plot(studies)};
}

} // namespace texelscope::experiments
