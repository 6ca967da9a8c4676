#include "base/number_text.hpp"
#include "workbench/plots/html.hpp"
#include "workbench/plots/panel_plot.hpp"
#include "workbench/report/report_sections.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace texelscope::workbench::report {
namespace {

std::string scatter_figure(const CrosscheckResult& crosscheck, const JudgePair& pair)
{
    PanelPlot::Curve agreeing{"",   1,     PanelPlot::Axis::left,  {},
                              true, false, DrawnMark::Look::ringed};
    PanelPlot::Curve unchecked{"",   5,     PanelPlot::Axis::left, {},
                               true, false, DrawnMark::Look::cross};
    const std::string x_name = to_string(pair.truth);
    const std::string y_name = to_string(pair.judge);
    for (const CrosscheckRow& row : crosscheck.rows) {
        const std::optional<Nanoseconds> x = row.time(pair.truth);
        const std::optional<Nanoseconds> y = row.time(pair.judge);
        if (x && y) {
            (row.measured && !row.checked ? unchecked : agreeing)
                .points.push_back({x->value, y->value,
                                   fmt::format("{}: {} {}, {} {}{}", to_string(row.schedule),
                                               x_name, time_text(x), y_name, time_text(y),
                                               row.reason.empty() ? "" : "; " + row.reason),
                                   4});
        }
    }
    const std::string title = x_name + " and " + y_name;
    if (agreeing.points.empty() && unchecked.points.empty()) {
        return fmt::format(
            "<figure><figcaption>{}: no configuration has both values</figcaption></figure>\n",
            title);
    }
    PanelPlot plot = scatter_plot({std::move(agreeing), std::move(unchecked)}, ScatterAxes::equals);
    plot.title = title;
    plot.x_label = x_name;
    plot.left_label = y_name;
    plot.x_text = plot.left_text = [](double ns) { return time_text(Nanoseconds{ns}); };
    plot.panel_width = plot.panel_height = 260;
    return fmt::format(
        "<figure>{}<figcaption>Kendall \u03C4 {}, regret of the {} {}</figcaption></figure>\n",
        svg_element(draw(plot), title),
        pair.kendall ? fmt::format("{:.2f}", *pair.kendall) : std::string(dash), y_name,
        percent_text(pair.regret));
}

} // namespace

std::string measured_text(const CrosscheckRow& row)
{
    return time_text(row.measured) + (row.wall_clock ? " (wall clock)" : "");
}

std::string agreement_figures(const CrosscheckResult& crosscheck)
{
    std::string out;
    for (const JudgePair& pair : crosscheck.pairs) {
        out += scatter_figure(crosscheck, pair);
    }
    return out;
}

std::string crosscheck_section(const CrosscheckResult& crosscheck, const Schedule& schedule)
{
    std::string out =
        fmt::format("<section id=\"crosscheck\"><h2>Cross-check of the judges</h2>\n<p>{}, "
                    "as model, simulator and device see them{}. Regret is the time of a judge's "
                    "first choice over that of the "
                    "best, "
                    "minus 1. In the plots the dashed line is where both agree; crosses are runs "
                    "whose output did not agree with "
                    "the reference.</p>\n",
                    rows_text(crosscheck), crosscheck.interrupted ? " (stopped early)" : "");
    HtmlTable table{{{"configuration", false},
                     {"model", true},
                     {"simulator", true},
                     {"device", true},
                     {"output checked", false}},
                    {},
                    {}};
    for (const CrosscheckRow& row : crosscheck.rows) {
        if (row.schedule == schedule) {
            table.emphasised = table.rows.size();
        }
        table.rows.push_back(
            {"<code>" + escape_html(to_string(row.schedule)) + "</code>", time_text(row.predicted),
             time_text(row.simulated), measured_text(row),
             row.checked ? "agrees"
                         : (row.reason.empty() ? std::string(dash) : escape_html(row.reason))});
    }
    return out + to_html(table) + "</section>\n";
}

} // namespace texelscope::workbench::report
