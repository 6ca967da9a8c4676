#include "experiments/tmmodel/gain_breakdown.hpp"

#include "base/lists.hpp"
#include "base/progress.hpp"
#include "experiments/tmmodel/pattern_map.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace texelscope::experiments {
// In this order: measure_gains() finds and times the six versions of figure 9 for one kernel, the
// findings compare them, and run_gain_breakdown() does so for four kernels whose spaces are small
// enough for exhaustive search.
namespace {

/// For each kernel, the time of one version over that of another.
std::vector<double> over(const std::vector<GainBreakdown>& gains, GainStep slower, GainStep faster)
{
    return mapped(gains,
                  [&](const GainBreakdown& gain) { return gain.time(slower) / gain.time(faster); });
}

double most(const std::vector<double>& values)
{
    return values.empty() ? 0 : std::ranges::max(values);
}

double least(const std::vector<double>& values)
{
    return values.empty() ? 0 : std::ranges::min(values);
}

/// A number of each kernel.
std::string each(const std::vector<GainBreakdown>& gains, const std::vector<double>& values)
{
    auto value = values.begin();
    return joined(gains, [&](const GainBreakdown& gain) {
        return fmt::format("{} {:.3f}", gain.kernel, *value++);
    });
}

ResultTable table_of(const std::vector<GainBreakdown>& gains, const ExperimentDevice& device)
{
    ResultTable table{
        {"kernel", "operator", "space", device.real() ? "run" : "simulated", "base_ns"}, {}};
    for (const GainStep step : all_gain_steps) {
        table.columns.push_back(to_string(step));
    }
    for (const GainBreakdown& gain : gains) {
        std::vector<ResultTable::Value> row{gain.kernel, to_string(gain.op), gain.space, gain.tried,
                                            std::round(gain.time(GainStep::base).value)};
        for (const GainStep step : all_gain_steps) {
            row.emplace_back(thousandths(gain.speedup(step)));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace

std::string to_string(GainStep step)
{
    constexpr std::array names{"Base", "TMM-T",        "TMM-T, literal",
                               "TMM",  "TMM, literal", "Exhaustive"};
    return names[static_cast<std::size_t>(step)];
}

GainBreakdown measure_gains(const std::string& kernel, const Operator& op,
                            const ExperimentDevice& device, const Calibration& calibration,
                            const GainOptions& options, const Progress& progress,
                            const StopToken& stop)
{
    const ConfigurationSpace space = configuration_space(op, device.profile);
    // Baseline of the paper: one kernel, of which only the work-group may be chosen.
    const ConfigurationSpace vanilla =
        space_of(baseline_schedules(Baseline::vanilla, op, device.profile));
    // TMM-T: tile and work-group are free; patterns stay rows.
    const ConfigurationSpace tiles =
        tile_space(op, device.profile, std::vector(op.inputs.size(), AccessPattern::row));
    KernelTimes times(op, device, options.sample, stop);
    // Choices are found from short samples and timed from long ones, as exhaustive() does with the
    // fastest; a real device measures them once more.
    KernelTimes close_times(op, device, options.close_sample, stop);
    const auto by_literal = [&](const ConfigurationSpace& of) {
        return first_of_model(ModelVariant::literal, of, calibration, times);
    };
    const FastestOfSpace all =
        fastest_of_space(space, times, close_times, options.fastest, progress);

    GainBreakdown gains{kernel, op, space.size(), all.tried, {}};
    gains.times = {
        timed(best_of(parse_strategy("simulate"), vanilla, {}, times), close_times).time,
        timed(shortlisted(tiles, times), close_times).time,
        timed(by_literal(tiles), close_times).time,
        timed(shortlisted(space, times), close_times).time,
        timed(by_literal(space), close_times).time,
        all.time,
    };
    // A short sample may have ranked a configuration lower than it is, so that a choice beats the
    // exhaustive search; then the choice is the best that is known.
    gains.times.back() = std::ranges::min(gains.times);
    return gains;
}

std::vector<Finding> gain_breakdown_findings(const std::vector<GainBreakdown>& gains)
{
    // "Within around 1 %" (section 6.4).
    constexpr double within = 1.01;
    const auto tile = over(gains, GainStep::base, GainStep::tile);
    const auto patterns = over(gains, GainStep::tile, GainStep::all);
    const auto left = over(gains, GainStep::all, GainStep::exhaustive);
    const auto left_literal = over(gains, GainStep::literal_all, GainStep::exhaustive);
    const auto whole = over(gains, GainStep::base, GainStep::all);
    const auto verdict = [&](bool holds) {
        return gains.empty() ? Verdict::not_tested : verdict_of(holds);
    };
    return {
        {"predicted tiles alone are faster than the base version, for every kernel",
         "tiling is essential (section 6.4, figure 9)", each(gains, tile), verdict(least(tile) > 1),
         "simulator: exhaustive search finds nothing better than the base version of this small "
         "convolution"},
        {"predicted patterns make every kernel faster still",
         "the access pattern is essential, too (section 6.4, figure 9)", each(gains, patterns),
         verdict(least(patterns) > 1),
         "simulator: exhaustive search finds nothing better than rows for this small convolution"},
        {"both together are at least as fast as the base version, for every kernel", "figure 9",
         each(gains, whole), verdict(least(whole) >= 1),
         "simulator: exhaustive search finds nothing better than the base version of this small "
         "convolution"},
        {"the shortlist's choice is within 1 % of exhaustive search",
         "performance within around 1 % of exhaustive search (section 6.4)", each(gains, left),
         verdict(most(left) <= within),
         "model: the bottleneck model's first 64 do not have the best MatMul of 64x64x64, its "
         "first 512 do (fig10)"},
        {"the choice of the model as printed is within 1 % of exhaustive search",
         "performance within around 1 % of exhaustive search (section 6.4)",
         each(gains, left_literal), verdict(most(left_literal) <= within), equation_6_as_printed},
    };
}

/// A panel for each kernel, a bar for each version, as figure 9 has them.
PanelPlot gain_breakdown_plot(const std::vector<GainBreakdown>& gains,
                              const ExperimentDevice& device)
{
    PanelPlot plot;
    plot.title = "Speed-up over the base version: " + device.name();
    plot.left_label = "speed-up over Base";
    plot.x_label = "version";
    plot.x_low = -0.6;
    plot.x_high = static_cast<double>(all_gain_steps.size()) - 0.4;
    plot.panel_width = 300;
    for (std::size_t s = 0; s < all_gain_steps.size(); ++s) {
        plot.x_ticks.push_back(static_cast<double>(s));
    }
    plot.x_tick_names = {"Base", "TMM-T", "TMM-T\nliteral", "TMM", "TMM\nliteral", "Exhaus-\ntive"};
    for (const GainBreakdown& gain : gains) {
        PanelPlot::Panel panel;
        panel.title = fmt::format("{} ({})", gain.kernel, fmt::join(gain.op.shape, ","));
        PanelPlot::Bars bars{"", 1, {}};
        for (std::size_t s = 0; s < all_gain_steps.size(); ++s) {
            const double speedup = gain.speedup(all_gain_steps[s]);
            bars.points.push_back(
                {static_cast<double>(s), speedup,
                 fmt::format("{}: {:.3f}", to_string(all_gain_steps[s]), speedup)});
        }
        panel.bars.push_back(std::move(bars));
        plot.panels.push_back(std::move(panel));
    }
    return plot;
}

ExperimentResult run_gain_breakdown(const ExperimentDevice& device, const Progress& progress,
                                    const StopToken& stop)
{
    const GainOptions options;
    const Calibration calibration = calibrate_profile(device.profile, 1, stop);
    // Small enough that everything can be searched.
    const std::array operators{parse_operator("softmax", "128,128"),
                               parse_operator("matmul", "64,64,64"),
                               parse_operator("conv2d", "1,8,8,16,16,3,3,1"),
                               parse_operator("dwconv2d", "1,16,16,32,3,3,1")};
    const std::vector<std::string> kernels = mapped_kernels();
    std::vector<GainBreakdown> gains;
    LeftOut left_out(device);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        left_out.run([&] {
            gains.push_back(measure_gains(kernels[k], operators[k], device, calibration, options,
                                          part_progress(progress, k, kernels.size(), kernels[k]),
                                          stop));
        });
    }
    left_out.require(!gains.empty());
    ExperimentResult::Conditions conditions{
        {"device", device.text()},
        {"Base", "rows for every input, no tile, lanes in their natural order, the best work-group "
                 "by running each"},
        {"TMM-T", "the same patterns and lanes; tile and work-group predicted"},
        {"TMM", "A, T, W and G predicted"},
        {"predicted", "by the bottleneck model's first 64, each run (the shortlist), and by the "
                      "model as printed, which "
                      "runs nothing (literal)"},
        {"Exhaustive",
         "A, T, W and G: " + (device.real()
                                  ? fastest_text(options.fastest)
                                  : "all that a perfect cache would make quick enough, each run")},
        {"runs", device.times_text(sampled_text(options.sample)) +
                     (device.real() ? "; choices are measured once more"
                                    : fmt::format(", choices from {}", options.close_sample))},
        {"shapes", "small, so that everything can be searched; the paper does not give its own"},
    };
    add_left_out(conditions, left_out.reasons());
    return {std::move(conditions), table_of(gains, device),
            decided_on(device, gain_breakdown_findings(gains)), gain_breakdown_plot(gains, device)};
}

} // namespace texelscope::experiments
