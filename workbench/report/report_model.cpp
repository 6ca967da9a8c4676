#include "base/lists.hpp"
#include "base/number_text.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "model/tmmodel/linear_model.hpp"
#include "workbench/plots/html.hpp"
#include "workbench/plots/panel_plot.hpp"
#include "workbench/report/html_tables.hpp"
#include "workbench/report/prediction_tables.hpp"
#include "workbench/report/profile_rows.hpp"
#include "workbench/report/report_sections.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace texelscope::workbench::report {
namespace {

constexpr std::size_t most_ranked = 20;

struct NamedCost {
    std::string name;
    const KernelCost* cost;
};

std::vector<NamedCost> costs_of(const Prediction& prediction)
{
    return mapped(all_model_variants, [&](ModelVariant variant) {
        return NamedCost{to_string(variant), &prediction.cost(variant)};
    });
}

std::vector<std::string> error_row(const std::string& name, const FitError& error)
{
    if (error.samples == 0) {
        return {name, "0", std::string(dash), std::string(dash), std::string(dash)};
    }
    return {name, count_text(error.samples), percent_text(error.mape), number_text(error.r2),
            percent_text(error.worst)};
}

/// Predicted over true time of an access of the walks; empty where the model does not fit them.
std::string walks_figure(const Calibration& calibration)
{
    PanelPlot::Curve walks{"", 1, PanelPlot::Axis::left, {}};
    walks.look = DrawnMark::Look::ringed;
    for (const WalkSample& walk : calibration.walks) {
        if (walk.histogram.accesses > 0 &&
            block_shapes(walk.histogram) == calibration.thread.shapes) {
            const double fitted = calibration.thread.predict(walk.histogram).value /
                                  static_cast<double>(walk.histogram.accesses);
            walks.points.push_back(
                {walk.per_access.value, fitted,
                 fmt::format("simulated {} ns, fitted {} ns", number_text(walk.per_access.value),
                             number_text(fitted)),
                 4});
        }
    }
    if (walks.points.empty()) {
        return "";
    }
    PanelPlot plot = scatter_plot({std::move(walks)}, ScatterAxes::equals);
    plot.title = "the walks behind \u03B2";
    plot.x_label = "simulated, ns per access";
    plot.left_label = "fitted, ns per access";
    plot.panel_width = plot.panel_height = 260;
    return fmt::format("<figure>{}</figure>\n", svg_element(draw(plot), plot.title));
}

} // namespace

std::string prediction_section(const StudyResult& study)
{
    const Prediction& prediction = study.prediction;
    const std::vector<NamedCost> costs = costs_of(prediction);
    HtmlTable table{{{"level", false}, {"", false}}, {}, {}};
    for (const NamedCost& cost : costs) {
        table.columns.push_back({escape_html(cost.name), true});
    }
    const auto row = [&](const std::string& level, const std::string& about,
                         const std::function<std::string(const KernelCost&)>& value) {
        std::vector<std::string> cells{level, about};
        for (const NamedCost& cost : costs) {
            cells.push_back(value(*cost.cost));
        }
        table.rows.push_back(std::move(cells));
    };
    for (std::size_t i = 0; i < prediction.kernel.inputs.size(); ++i) {
        const ModelKernel::Input& input = prediction.kernel.inputs[i];
        row("thread: L<sub>t</sub>",
            fmt::format(
                "{} in pattern {} (reuse distance s = {}, distinct threads of a warp w = {})",
                escape_html(input.image), escape_html(input.pattern), input.warp.s, input.warp.w),
            [i](const KernelCost& cost) {
                return i < cost.thread.size() ? time_text(cost.thread[i]) : std::string(dash);
            });
    }
    const double d = study.calibration.thrash.d;
    row("warp: exponent",
        fmt::format("how often the lines in use exceed the {} of the L1",
                    prediction.device.cache_lines),
        [](const KernelCost& cost) { return count_text(cost.exponent); });
    row("warp: L<sub>w</sub>",
        fmt::format("sum of L<sub>t</sub>, times D<sup>exponent</sup> with D = {}", number_text(d)),
        [](const KernelCost& cost) { return time_text(cost.warp); });
    row("kernel: L<sub>g</sub>",
        fmt::format("occupancy groups as the model counts them, of {} work-groups of {} {}; room "
                    "for {} {} on each of {} cores",
                    count_text(prediction.kernel.work_groups),
                    count_text(prediction.kernel.warps_per_group),
                    prediction.kernel.warps_per_group == 1 ? "warp" : "warps",
                    prediction.device.occupancy,
                    prediction.device.occupancy == 1 ? "warp" : "warps", prediction.device.cores),
        [](const KernelCost& cost) { return count_text(cost.occupancy_groups); });
    row("kernel: L",
        "L<sub>w</sub> times L<sub>g</sub>; bottleneck: whole and partial waves, and the launch",
        [](const KernelCost& cost) { return "<strong>" + time_text(cost.kernel) + "</strong>"; });
    return fmt::format("<section id=\"prediction\"><h2>Prediction, level by level</h2>\n{}"
                       "<p>Confidence {}: how near the strides are to those that the model was "
                       "fitted on (1: among "
                       "them).</p>\n<h3>What the bottleneck variant's time is made "
                       "of</h3>\n{}</section>\n",
                       to_html(table), number_text(prediction.confidence),
                       to_html(html_table(bounds_table(study))));
}

std::string calibration_section(const StudyResult& study)
{
    const Calibration& calibration = study.calibration;
    HtmlTable table{
        {{"fit", false}, {"samples", true}, {"MAPE", true}, {"R\u00B2", true}, {"worst", true}},
        {},
        {}};
    const auto both = [&](const std::string& name, const FitError& training,
                          const FitError& held_out) {
        table.rows.push_back(error_row(name + ", training", training));
        table.rows.push_back(error_row(name + ", held out", held_out));
    };
    both("\u03B2 of strides (" + escape_html(to_string(calibration.thread.regression)) + ")",
         calibration.thread.training, calibration.thread.held_out);
    if (!calibration.reuse_thread.beta.empty()) {
        both("\u03B2 of strides into fresh blocks (" +
                 escape_html(to_string(calibration.reuse_thread.regression)) + ")",
             calibration.reuse_thread.training, calibration.reuse_thread.held_out);
    }
    both(fmt::format("D = {}", number_text(calibration.thrash.d)), calibration.thrash.training,
         calibration.thrash.held_out);
    for (const LinearModel::CrossValidation& tried : calibration.thread.cross_validation) {
        table.rows.push_back(error_row(
            "\u03B2, cross-validated: " + escape_html(to_string(tried.regression)), tried.error));
    }
    return fmt::format(
        "<section id=\"calibration\"><h2>Calibration</h2>\n"
        "<p>The model's constants are fitted to this device as it is simulated. A held-out sample "
        "was never seen "
        "by the fit. MAPE is the mean absolute percentage error; an R\u00B2 below 0 says that "
        "the samples differ less from their mean than from the fit.</p>\n<div "
        "class=\"row\">{}{}</div></section>\n",
        to_html(table), walks_figure(calibration));
}

std::string ranking_section(const StudyResult& study)
{
    const Ranking& ranking = study.ranking;
    if (ranking.best.empty()) {
        return "";
    }
    HtmlTable table{
        {{"#", true}, {"configuration", false}, {"predicted", true}, {"over the best", true}},
        {},
        {}};
    const double best = ranking.best.front().cost.value;
    const std::size_t shown = std::min(ranking.best.size(), most_ranked);
    for (std::size_t i = 0; i < shown; ++i) {
        const RankedConfiguration& entry = ranking.best[i];
        if (entry.schedule == study.request.schedule) {
            table.emphasised = i;
        }
        table.rows.push_back(
            {fmt::format("{}", i + 1),
             "<code>" + escape_html(to_string(entry.schedule)) + "</code>", time_text(entry.cost),
             best > 0 ? percent_text(entry.cost.value / best - 1) : std::string(dash)});
    }
    return fmt::format("<section id=\"ranking\"><h2>Ranking by the model</h2>\n"
                       "<p>By the variant {}{}: the best {} of {} configurations that were "
                       "evaluated, in a space of {} by the parts "
                       "A, T, W and G.{}</p>\n"
                       "{}</section>\n",
                       to_string(study.variant.variant),
                       study.variant.why.empty() ? "" : " (" + study.variant.why + ")", shown,
                       count_text(ranking.evaluated), count_text(ranking.space),
                       table.emphasised ? " The one of this report stands out."
                                        : " The one of this report is not among them.",
                       to_html(table));
}

std::string device_section(const StudyResult& study)
{
    const DeviceProfile& device = study.request.device;
    HtmlTable table{{{"setting", false},
                     {"value", true},
                     {"unit", false},
                     {"known from", false},
                     {"source", false}},
                    {},
                    {}};
    const auto text = [](const std::string& s) {
        return s.empty() ? std::string(dash) : escape_html(s);
    };
    for (const ProfileRow& row : profile_rows(device)) {
        table.rows.push_back({fmt::format("<code title=\"{}\">{}</code>", escape_html(row.about),
                                          escape_html(row.key)),
                              escape_html(row.value), escape_html(row.unit),
                              row.from ? escape_html(to_string(*row.from)) : "default",
                              text(row.source)});
    }
    const Launch launch = launch_of(study.nest);
    return fmt::format("<section id=\"device\"><h2>Device: {}</h2>\n<p>{}</p>\n<p>The kernel adds "
                       "{} registers for each "
                       "work-item, and each of its warps issues for {} cycles.</p>\n{}</section>\n",
                       escape_html(device.name), escape_html(device.description),
                       study.options.kernel.registers_per_item.value_or(0),
                       number_text(WarpCode(&launch, study.options).totals().cycles),
                       to_html(table));
}

} // namespace texelscope::workbench::report
