#include "experiments/judges/register_estimates.hpp"

#include "base/averages.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/registers/register_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace texelscope::experiments {
// Registers decide how many warps fit on a core. Here the estimate of each kernel is compared with
// what a real compiler took, for kernels that were drawn at random.
namespace {

constexpr double most_error = 0.15, most_halving_wrong = 0.05; // goals

/// Relative errors of one of the two estimates, ascending.
std::vector<double> errors(std::span<const EstimatedKernel> kernels, int EstimatedKernel::*estimate)
{
    std::vector<double> all;
    for (const EstimatedKernel& kernel : kernels) {
        all.push_back(std::abs(kernel.*estimate - kernel.compiled) /
                      static_cast<double>(kernel.compiled));
    }
    std::sort(all.begin(), all.end());
    return all;
}

/// The kernels GPU by GPU, in the order of the rows.
std::vector<std::vector<EstimatedKernel>> by_gpu(const std::vector<EstimatedKernel>& kernels)
{
    std::vector<std::vector<EstimatedKernel>> groups;
    for (const EstimatedKernel& kernel : kernels) {
        if (groups.empty() || groups.back().front().gpu != kernel.gpu) {
            groups.emplace_back();
        }
        groups.back().push_back(kernel);
    }
    return groups;
}

/// Live values are the plain estimate, so both stand beside each other.
void add_row(ResultTable& table, const std::string& op, std::span<const EstimatedKernel> kernels)
{
    const EstimateQuality before = quality_of(kernels, &EstimatedKernel::live),
                          now = quality_of(kernels);
    table.rows.push_back({kernels.front().gpu, op, now.kernels, before.median_error,
                          now.median_error, before.exact, now.exact, before.halving_wrong,
                          now.halving_wrong});
}

ResultTable table_of(const std::vector<EstimatedKernel>& kernels)
{
    ResultTable table{{"gpu", "operator", "kernels", "live_median_error", "median_error",
                       "live_exact", "exact", "live_halving_wrong", "halving_wrong"},
                      {}};
    for (const std::vector<EstimatedKernel>& gpu : by_gpu(kernels)) {
        add_row(table, "all", gpu);
        std::map<std::string, std::vector<EstimatedKernel>> by_operator;
        for (const EstimatedKernel& kernel : gpu) {
            by_operator[kernel.op].push_back(kernel);
        }
        for (const auto& [op, some] : by_operator) {
            add_row(table, op, some);
        }
    }
    return table;
}

/// How many kernels have at most a given error: a curve for each estimate, a panel for each GPU.
PanelPlot plot_of(const std::vector<EstimatedKernel>& kernels)
{
    PanelPlot plot;
    plot.title = "Registers of random kernels: estimates against Mesa's compilers";
    plot.x_label = "error, % of the compiled";
    plot.left_label = "kernels with at most that error, %";
    plot.rule_label = "goal for half of the kernels";
    plot.x_high = 100;
    plot.x_ticks = {0, 20, 40, 60, 80}; // a last one would touch the next panel's first
    for (const std::vector<EstimatedKernel>& gpu : by_gpu(kernels)) {
        PanelPlot::Panel panel;
        panel.title = gpu.front().gpu;
        panel.rules = {100 * most_error};
        const auto curve = [&](const char* name, int colour, int EstimatedKernel::*estimate) {
            const std::vector<double> sorted = errors(gpu, estimate);
            PanelPlot::Curve line{name, colour, PanelPlot::Axis::left, {}};
            line.marks = false;
            constexpr int step = 5;
            for (int error = 0; error <= 100; error += step) {
                const auto within =
                    std::upper_bound(sorted.begin(), sorted.end(), error / 100.0) - sorted.begin();
                const double share =
                    100.0 * static_cast<double>(within) / static_cast<double>(sorted.size());
                line.points.push_back(
                    {static_cast<double>(error), share,
                     fmt::format("{:.0f} % of the kernels within {} %", share, error)});
            }
            panel.curves.push_back(std::move(line));
        };
        curve("live values", 2, &EstimatedKernel::live);
        curve("estimate", 1, &EstimatedKernel::estimated);
        plot.panels.push_back(std::move(panel));
    }
    return plot;
}

} // namespace

std::vector<EstimatedKernel> estimate_kernels(std::span<const CompiledRow> rows,
                                              const Progress& progress, const StopToken& stop)
{
    std::vector<EstimatedKernel> kernels(rows.size());
    parallel_for(
        rows.size(), processor_threads(),
        [&](std::size_t i) {
            const CompiledRow& row = rows[i];
            const CompilerGpu& gpu = find_compiler_gpu(row.gpu);
            const Operator op = parse_operator(row.op, row.shape, row.padding);
            const LoopNest nest = loop_nest(op, parse_schedule(row.config));
            // In half precision where the configuration stores half floats.
            const Precision arithmetic = nest.arithmetic(true);
            kernels[i] = {row.gpu,
                          row.op,
                          gpu.family,
                          row.registers,
                          nest.registers(arithmetic),
                          estimated_registers(nest, arithmetic, gpu)};
        },
        stop, [&](std::size_t done) { tell(progress, "estimating", done, rows.size()); });
    return kernels;
}

EstimateQuality quality_of(std::span<const EstimatedKernel> kernels, int EstimatedKernel::*estimate)
{
    // Beyond 32 registers a Mali runs half as many threads on a core.
    constexpr int half = 32;
    EstimateQuality quality{std::ssize(kernels)};
    if (kernels.empty()) {
        return quality;
    }
    const auto share = [&](auto holds) {
        return static_cast<double>(std::count_if(kernels.begin(), kernels.end(), holds)) /
               static_cast<double>(kernels.size());
    };
    quality.median_error = median(errors(kernels, estimate));
    quality.exact = share([&](const EstimatedKernel& k) { return k.*estimate == k.compiled; });
    quality.halving_wrong = share(
        [&](const EstimatedKernel& k) { return (k.*estimate > half) != (k.compiled > half); });
    return quality;
}

std::vector<Finding> register_estimate_findings(const std::vector<EstimatedKernel>& kernels)
{
    std::vector<Finding> findings;
    for (const CompilerFamily family : {CompilerFamily::adreno, CompilerFamily::mali}) {
        std::vector<EstimatedKernel> of_family;
        std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(of_family),
                     [&](const EstimatedKernel& kernel) { return kernel.family == family; });
        if (of_family.empty()) {
            continue;
        }
        const EstimateQuality now = quality_of(of_family);
        findings.push_back(
            {fmt::format("{}: registers are estimated within 15 % in the median",
                         to_string(family)),
             "a goal of this program",
             fmt::format("{:.1f} % over {} kernels; the same number for {:.0f} %; live values are "
                         "{:.1f} % off",
                         100 * now.median_error, now.kernels, 100 * now.exact,
                         100 * quality_of(of_family, &EstimatedKernel::live).median_error),
             verdict_of(now.median_error <= most_error)});
        if (family == CompilerFamily::mali) {
            findings.push_back(
                {"mali: whether threads are halved is misjudged for at most 5 % of the kernels",
                 "a goal of this program",
                 fmt::format("{:.1f} %; by live values {:.1f} %", 100 * now.halving_wrong,
                             100 * quality_of(of_family, &EstimatedKernel::live).halving_wrong),
                 verdict_of(now.halving_wrong <= most_halving_wrong),
                 "model: the estimate's error around 32 registers; an aim of ours"});
        }
    }
    return findings;
}

ExperimentResult run_register_estimates(const ExperimentDevice&, const Progress& progress,
                                        const StopToken& stop)
{
    const std::vector<CompiledRow> rows = compiled_kernels();
    const std::vector<EstimatedKernel> kernels = estimate_kernels(rows, progress, stop);
    ExperimentResult::Conditions conditions{
        {"GPUs", "those of the table, whatever the device"},
        {"kernels", "random operators, shapes and configurations; P=fp16 in half precision"},
        {"compilers", "Mesa 26.1.6, as experiments/measurements/mesa-registers.csv.zst has it"},
    };
    return {std::move(conditions), table_of(kernels), register_estimate_findings(kernels),
            plot_of(kernels)};
}

} // namespace texelscope::experiments
