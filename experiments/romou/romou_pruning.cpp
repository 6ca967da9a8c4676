#include "experiments/romou/romou_pruning.hpp"

#include "base/lists.hpp"
#include "workbench/space/factor_space.hpp"
#include "workbench/space/space_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace texelscope::experiments {
// How many configurations of two kernels the six criteria of table 1 leave. The paper does not say
// how loads are counted where work-items read the same texel, so both ways are measured; nor does
// it give its space, so shares are compared, not counts.
namespace {

std::string counting_name(LoadCounting counting)
{
    return counting == LoadCounting::each_item ? "each work-item's" : "shared once";
}

/// What a curve of the plot is called: how numbers are stored, and how loads are counted.
std::string case_name(const PruningCase& one)
{
    return fmt::format("{}, {}", to_string(one.storage),
                       one.counting == LoadCounting::each_item ? "each" : "shared");
}

std::string share_text(std::int64_t kept, std::int64_t all)
{
    return fmt::format("{} of {} ({:.2f} %)", kept, all,
                       100.0 * static_cast<double>(kept) /
                           static_cast<double>(std::max<std::int64_t>(all, 1)));
}

ResultTable table_of(const std::vector<PruningExample>& examples,
                     const std::vector<PruningCase>& cases)
{
    ResultTable table{{"kernel", "numbers", "loads", "combinations", "refused"}, {}};
    for (const PruningCriterion criterion : romou_criteria) {
        table.columns.push_back(to_string(criterion));
    }
    for (const char* column :
         {"kept", "kept_percent", "paper_before", "paper_after", "paper_percent"}) {
        table.columns.emplace_back(column);
    }
    for (const PruningCase& one : cases) {
        const PruningExample& example = examples[one.example];
        std::vector<ResultTable::Value> row{example.name, to_string(one.storage),
                                            counting_name(one.counting), one.combinations,
                                            one.refused};
        for (const SpaceCounts::Condition& criterion : one.pruned.conditions) {
            row.emplace_back(criterion.alone);
        }
        row.insert(row.end(),
                   {one.pruned.kept, 100 * one.share(), example.paper_before, example.paper_after,
                    100.0 * static_cast<double>(example.paper_after) /
                        static_cast<double>(example.paper_before)});
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// How many configurations are left after each criterion in turn, on a logarithmic scale.
PanelPlot plot_of(const std::vector<PruningExample>& examples,
                  const std::vector<PruningCase>& cases, const DeviceProfile& device)
{
    PanelPlot plot;
    plot.title = "Configurations left by each pruning criterion in turn: " + device.name;
    plot.x_label = "after";
    plot.left_label = "configurations, log10 (none: 0)";
    plot.x_low = -0.5;
    plot.x_high = 7.5;
    plot.panel_width = 420;
    plot.x_ticks = {0, 1, 2, 3, 4, 5, 6, 7};
    plot.x_tick_names = {"all",    "legal",         "l1",   "regis-\nters",
                         "buffer", "local\nmemory", "warp", "access\nwidth"};
    const auto point = [](double x, std::int64_t count, const std::string& name) {
        return PanelPlot::Point{x,
                                std::log10(static_cast<double>(std::max<std::int64_t>(count, 1))),
                                fmt::format("{}: {}", name, count)};
    };
    for (std::size_t e = 0; e < examples.size(); ++e) {
        PanelPlot::Panel panel;
        panel.title = examples[e].name;
        int colour = 1;
        for (const PruningCase& one : cases) {
            if (one.example != e) {
                continue;
            }
            PanelPlot::Curve curve{case_name(one), colour++, PanelPlot::Axis::left, {}};
            // Each criterion takes away what it excludes beyond those before it.
            std::int64_t left = one.combinations;
            curve.points.push_back(point(0, left, curve.name));
            left -= one.refused;
            curve.points.push_back(point(1, left, curve.name));
            double x = 2;
            for (const SpaceCounts::Condition& criterion : one.pruned.conditions) {
                left -= criterion.excluded;
                curve.points.push_back(point(x++, left, curve.name));
            }
            panel.curves.push_back(std::move(curve));
        }
        panel.curves.push_back({"paper",
                                0,
                                PanelPlot::Axis::left,
                                {point(0, examples[e].paper_before, "paper, before"),
                                 point(7, examples[e].paper_after, "paper, after")}});
        plot.panels.push_back(std::move(panel));
    }
    return plot;
}

} // namespace

std::vector<PruningExample> romou_examples()
{
    return {
        {"conv1x1 28,28,256,256", parse_operator("conv2d", "1,28,28,256,256,1,1,1"), 102060, 1057},
        {"conv3x3 s2 36,36,384,288", parse_operator("conv2d", "1,36,36,288,384,3,3,2"), 1498176,
         9450}};
}

std::vector<PruningCase> measure_pruning(const std::vector<PruningExample>& examples,
                                         const DeviceProfile& device, const Progress& progress,
                                         const StopToken& stop)
{
    const PruningLimits limits = pruning_limits(device);
    std::vector<PruningCase> cases;
    for (std::size_t e = 0; e < examples.size(); ++e) {
        SpaceOptions knobs = template_knobs(examples[e].op);
        knobs.values['P'] = {"fp16"};
        // Half floats first; what the device cannot run is refused before any criterion counts.
        const Narrowed space = factor_space(examples[e].op, device, knobs);
        const SpaceFootprints half(
            examples[e].op, space.space,
            [part = part_progress(progress, e, examples.size())](double fraction) {
                tell(part, "kernels", fraction, 1);
            },
            stop);
        // Footprints in single floats follow from those in half floats: the texels are the same.
        const SpaceFootprints single = half.stored_as(Storage::fp32);
        for (const Storage storage : {Storage::fp16, Storage::fp32}) {
            for (const LoadCounting counting :
                 {LoadCounting::each_item, LoadCounting::shared_once}) {
                PruningOptions options{{romou_criteria.begin(), romou_criteria.end()}};
                options.counting = counting;
                cases.push_back({e, storage, counting, space.counts.size, space.counts.excluded(),
                                 narrowed(space.space, pruning_conditions(
                                                           storage == Storage::fp16 ? half : single,
                                                           limits, options))
                                     .counts});
            }
        }
    }
    return cases;
}

std::vector<Finding> romou_pruning_findings(const std::vector<PruningExample>& examples,
                                            const std::vector<PruningCase>& cases)
{
    const std::string paper = joined(
                                  examples,
                                  [](const PruningExample& example) {
                                      return share_text(example.paper_after, example.paper_before);
                                  },
                                  "; ") +
                              " (section 5.3, figure 18)";
    std::vector<Finding> findings;
    for (const LoadCounting counting : {LoadCounting::each_item, LoadCounting::shared_once}) {
        // Half floats, as the images of the paper's listing 4 have them.
        std::vector<PruningCase> picked = cases;
        std::erase_if(picked, [&](const PruningCase& one) {
            return one.counting != counting || one.storage != Storage::fp16;
        });
        const std::string left = joined(
            picked,
            [](const PruningCase& one) { return share_text(one.pruned.kept, one.combinations); },
            "; ");
        const std::string how =
            counting == LoadCounting::each_item
                ? "with L1 loads as the paper counts them, a work-item's times the work-items, "
                : "with texels that work-items share counted once, ";
        const char* const why = counting == LoadCounting::each_item
                                    ? "set-up, probably: the paper does not give its space"
                                    : "";
        findings.push_back({how + "some of each space is left", paper, left,
                            verdict_of(std::ranges::all_of(
                                picked, [](const auto& one) { return one.pruned.kept > 0; })),
                            why});
        // Half of the smaller of the paper's two shares, and twice the larger one, rounded.
        constexpr double least = 0.003;
        constexpr double most = 0.02;
        findings.push_back({how + "between 0.3 and 2 % of each space is left", paper, left,
                            verdict_of(std::ranges::all_of(picked,
                                                           [&](const PruningCase& one) {
                                                               return one.share() >= least &&
                                                                      one.share() <= most;
                                                           })),
                            why});
    }
    return findings;
}

ExperimentResult run_romou_pruning(const ExperimentDevice& device, const Progress& progress,
                                   const StopToken& stop)
{
    const std::vector<PruningExample> examples = romou_examples();
    const std::vector<PruningCase> cases =
        measure_pruning(examples, device.profile, progress, stop);
    const PruningLimits limits = pruning_limits(device.profile);
    const std::vector<std::string> off =
        switched_off(limits, {{romou_criteria.begin(), romou_criteria.end()}});
    const auto known = [](const auto& value, const std::string& unit) {
        return value ? fmt::format("{}{}", *value, unit) : std::string("not known");
    };
    ExperimentResult::Conditions conditions{
        {"device", device.name()},
        {"L1", known(limits.l1_bytes, " B")},
        {"L1 for textures only",
         limits.l1_for_textures_only ? (*limits.l1_for_textures_only ? "yes" : "no") : "not known"},
        {"registers of a core", known(limits.registers, "")},
        {"ALUs of a core", known(limits.alus, "") + ", alpha 3"},
        {"warp", known(limits.warp_size, "")},
        {"criteria that are off", off.empty() ? "none" : fmt::format("{}", fmt::join(off, "; "))},
        {"kernels", "[H,W,Cout,Cin] of figure 18; H and W taken as the input's, padding same"},
        {"space", "each axis of the output as block * thread * tile; inputs in images or buffers; "
                  "scalars broadcast or "
                  "written out; loops over taps as they are or written out; reduction whole or "
                  "split into 4, 16, 64. "
                  "The paper does not give its own"},
        {"registers", "estimated from the live values of the text, addresses and counters"},
        {"columns of criteria", "configurations that each excludes by itself"},
    };
    return {std::move(conditions), table_of(examples, cases),
            romou_pruning_findings(examples, cases), plot_of(examples, cases, device.profile)};
}

} // namespace texelscope::experiments
