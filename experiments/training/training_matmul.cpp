#include "experiments/training/training_matmul.hpp"

#include "base/lists.hpp"
#include "base/progress.hpp"
#include "experiments/shared/choices.hpp"
#include "experiments/shared/within.hpp"
#include "workbench/store/run_results.hpp"
#include "workbench/store/shipped_measurements.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace texelscope::experiments {
// The study's four kernels over sizes of the matrices, simulated and, where there is a device,
// measured.
namespace {

constexpr std::array kinds{SgemmKind{false, false}, SgemmKind{true, false}, SgemmKind{false, true},
                           SgemmKind{true, true}};

/// What the simulator assumes of local memory, which the study's tiled kernels use.
std::string local_memory_text(const DeviceProfile& device)
{
    const auto bytes = device.simulation.machine.timing.local_bytes_per_cycle;
    return bytes ? fmt::format("local memory serves {:.3g} B a cycle and core", *bytes)
                 : std::string("local memory takes no time");
}

/// A tile of several outputs means vectors; a stage means blocks in local memory.
SgemmKind kind_of(const Schedule& schedule)
{
    return {schedule.tile.front() > 1, schedule.stage > 0};
}

std::vector<SgemmRates> empty_rates()
{
    return mapped(kinds, [](const SgemmKind& kind) { return SgemmRates{kind, {}}; });
}

/// The rates of that kind among the four, which are always there.
SgemmRates& rates_of(std::vector<SgemmRates>& all, const SgemmKind& kind)
{
    return *std::ranges::find(all, kind, &SgemmRates::kind);
}

/// "naive 11, vectorised 13, tiled 34, both 42 GFLOPS", at the largest size.
std::string rates_text(const std::vector<SgemmRates>& all)
{
    return joined(all,
                  [](const SgemmRates& rates) {
                      return fmt::format("{} {:.0f}", to_string(rates.kind), rates.at_largest());
                  }) +
           " GFLOPS";
}

/// The rates of one judge, and what its findings call it.
struct Side {
    std::string where;
    const std::vector<SgemmRates>& rates;
};

/// What vectors and blocks gain, alone and together, at the largest size.
std::vector<Finding> gains(const Side& side)
{
    Finding gain{
        fmt::format("{}: both optimisations together make the naive kernel 3 to 7 times as fast",
                    side.where),
        "from 5, 10, 15 to 25, 40, 70 GFLOPS on three phones: 4 to 5 times (section IV-A, figure "
        "3)",
        ""};
    Finding each{
        fmt::format("{}: vectors and blocks each make it faster, and both together the fastest",
                    side.where),
        "tiling and vectorization provide the best performance of all strategies (section III-A)",
        ""};
    const double naive = side.rates[0].at_largest(), vectors = side.rates[1].at_largest(),
                 blocks = side.rates[2].at_largest(), both = side.rates[3].at_largest();
    if (!(naive > 0 && vectors > 0 && blocks > 0 && both > 0)) {
        gain.ours = each.ours = "not all four kernels ran";
        return {gain, each};
    }
    gain.ours = fmt::format("{:.2f} times", both / naive);
    // The study has 4 to 5 times; the bounds of 3 and 7 are ours.
    gain.verdict = verdict_of(both >= 3 * naive && both <= 7 * naive);
    each.ours = rates_text(side.rates);
    each.verdict =
        verdict_of(vectors > naive && blocks > naive && both > std::max(vectors, blocks));
    return {gain, each};
}

/// The study's own rates, for the two of its devices of which there is a profile.
Finding rate(const TrainingMatmul& data)
{
    struct Known {
        const char* device;
        double naive;
        double optimised;
    };
    constexpr std::array known{Known{"adreno-630", 10, 40}, Known{"adreno-650", 15, 70}};
    Finding finding{
        "the naive and the fastest kernel reach the study's rates, within a factor of two",
        "10 and 40 GFLOPS on an Adreno 630, 15 and 70 on an Adreno 650 (section IV-A, figure 3)",
        rates_text(data.simulated)};
    // The finding is about these phones; on any other device it is not tested.
    const auto found = std::ranges::find(known, data.device, &Known::device);
    if (found == known.end()) {
        finding.ours += fmt::format(": the study has no {}", data.device);
        return finding;
    }
    const double fastest = std::ranges::max(mapped(data.simulated, &SgemmRates::at_largest));
    finding.verdict =
        verdict_of(within_factor(2, data.simulated.front().at_largest(), found->naive) &&
                   within_factor(2, fastest, found->optimised));
    return finding;
}

PanelPlot::Panel panel_of(const std::string& title, const std::vector<SgemmRates>& all)
{
    PanelPlot::Panel panel;
    panel.title = title;
    int colour = 1;
    for (const SgemmRates& rates : all) {
        PanelPlot::Curve curve{to_string(rates.kind), colour++, PanelPlot::Axis::left, {}};
        for (const SgemmRates::Point& point : rates.points) {
            curve.points.push_back({static_cast<double>(point.size), point.gflops,
                                    fmt::format("{}, {}: {:.1f} GFLOPS, {}", curve.name, point.size,
                                                point.gflops, point.config)});
        }
        panel.curves.push_back(std::move(curve));
    }
    return panel;
}

/// Simulated beside measured rates over the size, both axes logarithmic.
PanelPlot plot_of(const TrainingMatmul& data)
{
    PanelPlot plot;
    plot.title = "Square matrix products, optimised as in the study of training on phones";
    plot.x_label = "n of n x n matrices";
    plot.left_label = "GFLOPS";
    plot.panel_width = 330;
    plot.x_log = plot.left_log = true;
    plot.x_low = 24;
    double largest = 0;
    for (const std::vector<SgemmRates>* all : {&data.simulated, &data.measured}) {
        for (const SgemmRates& rates : *all) {
            for (const SgemmRates::Point& point : rates.points) {
                largest = std::max(largest, static_cast<double>(point.size));
            }
        }
    }
    plot.x_high = 1.5 * largest;
    for (const double size : {32, 64, 128, 256, 512, 1024, 4096}) {
        if (size <= largest) {
            plot.x_ticks.push_back(size);
        }
    }
    plot.panels = {panel_of("simulated: " + data.device, data.simulated),
                   panel_of("measured: " + data.measured_on, data.measured)};
    return plot;
}

/// All points of both judges, with the configuration of each kernel.
ResultTable table_of(const TrainingMatmul& data)
{
    ResultTable table{{"device", "judge", "kernel", "n", "gflops", "config"}, {}};
    const auto add = [&](const std::string& device, const std::string& judge,
                         const std::vector<SgemmRates>& all) {
        for (const SgemmRates& rates : all) {
            for (const SgemmRates::Point& point : rates.points) {
                table.rows.push_back(
                    {device, judge, to_string(rates.kind), point.size, point.gflops, point.config});
            }
        }
    };
    add(data.device, "simulator", data.simulated);
    add(data.measured_on, "device", data.measured);
    return table;
}

} // namespace

std::string to_string(const SgemmKind& kind)
{
    return kind.vectorised ? (kind.tiled ? "both" : "vectorised")
                           : (kind.tiled ? "tiled" : "naive");
}

double SgemmRates::at_largest() const
{
    return points.empty() ? 0 : points.back().gflops;
}

/// The four kernels at every size. One that cannot run, or whose output is wrong, has no point.
std::vector<SgemmRates> sgemm_rates(const ExperimentDevice& device,
                                    const TrainingMatmulOptions& options, const Progress& progress,
                                    const StopToken& stop)
{
    std::vector<SgemmRates> all = empty_rates();
    for (std::size_t i = 0; i < options.sizes.size(); ++i) {
        const std::int64_t n = options.sizes[i];
        KernelTimes times(parse_operator("matmul", fmt::format("{0},{0},{0}", n)), device,
                          options.most_accesses, stop);
        for (const Schedule& schedule :
             baseline_schedules(Baseline::sgemm, times.op(), device.profile)) {
            if (const auto time = times.time(schedule)) {
                rates_of(all, kind_of(schedule))
                    .points.push_back({n, times.op().flops / time->value, to_string(schedule)});
            }
        }
        tell(progress, device.word() + " sizes", i + 1, options.sizes.size());
    }
    return all;
}

std::vector<SgemmRates> measured_sgemm()
{
    std::vector<SgemmRates> all = empty_rates();
    const DeviceProfile device = find_profile("nvidia-h200"); // for its limit of work-items
    for (const StoredResult& result :
         parse_run_results(std::string(h200_local_blocks()),
                           "experiments/measurements/h200-local-blocks.jsonl")) {
        const Operator op = parse_operator(result.op, result.shape, result.padding);
        const Schedule schedule = parse_schedule(result.config);
        const std::vector<Schedule> study = baseline_schedules(Baseline::sgemm, op, device);
        // The file has other kernels, too; the study's four are taken from it.
        if (std::find(study.begin(), study.end(), schedule) != study.end()) {
            rates_of(all, kind_of(schedule))
                .points.push_back(
                    {op.shape.front(), op.flops / result.median_ns(), to_string(schedule)});
        }
    }
    for (SgemmRates& rates : all) {
        std::ranges::sort(rates.points, {}, &SgemmRates::Point::size);
    }
    return all;
}

std::vector<Finding> training_matmul_findings(const TrainingMatmul& data)
{
    std::vector<Finding> findings;
    for (const Side& side :
         {Side{"simulated", data.simulated}, Side{"on " + data.measured_on, data.measured}}) {
        for (Finding& finding : gains(side)) {
            findings.push_back(std::move(finding));
        }
    }
    findings.push_back(rate(data));
    return findings;
}

ExperimentResult run_training_matmul(const ExperimentDevice& device, const Progress& progress,
                                     const StopToken& stop)
{
    const TrainingMatmulOptions options;
    TrainingMatmul data{
        device.profile.name, sgemm_rates({device.profile}, options, progress, stop), {}};
    if (device.real()) {
        data.measured = sgemm_rates(device, options, progress, stop);
        data.measured_on = device.name();
    } else {
        data.measured = measured_sgemm();
    }
    ExperimentResult::Conditions conditions{
        {"device", device.profile.name},
        {"kernels", "the baseline sgemm: work-groups of 256 in a row, or 16x16 with blocks in "
                    "local memory; single "
                    "floats in images. The study gives neither sizes of work-groups nor where its "
                    "tensors lie"},
        {"simulated", fmt::format("at most {} warp accesses of each kernel; {}",
                                  options.most_accesses, local_memory_text(device.profile))},
        {"measured",
         device.real()
             ? "on " + data.measured_on + ", medians of runs whose output is right"
             : "experiments/measurements/h200-local-blocks.jsonl: sizes 1024 and 4096, medians"},
        {"rates compared", "of each kernel at its largest size"},
        {"not tested", "CPUs, copies and back propagation (figures 3 and 4)"},
    };
    return {std::move(conditions), table_of(data), training_matmul_findings(data), plot_of(data)};
}

} // namespace texelscope::experiments
