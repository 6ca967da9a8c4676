#include "experiments/experiment_report.hpp"

#include "base/lists.hpp"
#include "base/number_text.hpp"
#include "workbench/plots/drawing.hpp"
#include "workbench/plots/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace texelscope::experiments {
// Results as one page of HTML: an overview, then for each experiment its plot, findings, conditions
// and data.
namespace {

/// The name of a section, which links in the overview lead to.
std::string id_of(const DoneExperiment& done)
{
    std::string id = fmt::format("{}-{}", done.experiment.name, done.device);
    std::ranges::replace(id, ' ', '-'); // of several devices
    return id;
}

/// The devices: the profiles and, where one was measured, which.
std::string where_of(const DoneExperiment& done)
{
    return done.result.measured_on.empty() ? done.device
                                           : done.device + ", run on " + done.result.measured_on;
}

struct CellText {
    std::string operator()(const std::string& word) const { return escape_html(word); }
    std::string operator()(std::int64_t count) const { return count_text(count); }
    std::string operator()(double number) const { return number_text(number); }
};

HtmlTable table_of(const ResultTable& data)
{
    HtmlTable table;
    for (std::size_t column = 0; column < data.columns.size(); ++column) {
        // A column whose cells are all numbers is aligned to the right.
        const bool number = std::ranges::none_of(data.rows, [&](const auto& row) {
            return std::holds_alternative<std::string>(row[column]);
        });
        table.columns.push_back({escape_html(data.columns[column]), number});
    }
    for (const auto& row : data.rows) {
        table.rows.push_back(mapped(
            row, [](const ResultTable::Value& value) { return std::visit(CellText{}, value); }));
    }
    return table;
}

HtmlTable findings_of(const ExperimentResult& result)
{
    HtmlTable table{{{"finding"}, {"paper"}, {"here"}, {"verdict"}, {"why not"}}, {}, {}};
    for (const Finding& finding : result.findings) {
        table.rows.push_back({escape_html(finding.claim), escape_html(finding.paper),
                              escape_html(finding.ours), escape_html(to_string(finding.verdict)),
                              escape_html(finding.explanation)});
    }
    return table;
}

HtmlTable overview(const std::vector<DoneExperiment>& experiments)
{
    HtmlTable table{{{"experiment"},
                     {"device"},
                     {"after"},
                     {"holds", true},
                     {"does not", true},
                     {"not tested", true}},
                    {},
                    {}};
    for (const DoneExperiment& done : experiments) {
        const auto count = [&](Verdict verdict) {
            return count_text(std::ranges::count(done.result.findings, verdict, &Finding::verdict));
        };
        table.rows.push_back(
            {fmt::format("<a href=\"#{}\">{}: {}</a>", escape_html(id_of(done)),
                         escape_html(done.experiment.name), escape_html(done.experiment.title)),
             fmt::format("<span class=\"name\">{}</span>", escape_html(where_of(done))),
             escape_html(done.experiment.source), count(Verdict::holds),
             count(Verdict::does_not_hold), count(Verdict::not_tested)});
    }
    return table;
}

/// A table that is folded up if it has many rows.
std::string folded(const std::string& title, const ResultTable& table)
{
    constexpr std::size_t short_table = 20;
    const std::size_t rows = table.rows.size();
    return fmt::format(
        "<details{}><summary>{}: {} rows</summary>\n<div class=\"table\">{}</div></details>\n",
        rows <= short_table ? " open=\"open\"" : "", escape_html(title), rows,
        to_html(table_of(table)));
}

std::string section(const DoneExperiment& done)
{
    std::string out = fmt::format("<section id=\"{}\"><h2>{}: {}</h2>\n<p>After {}; on {}.</p>\n",
                                  escape_html(id_of(done)), escape_html(done.experiment.name),
                                  escape_html(done.experiment.title),
                                  escape_html(done.experiment.source), escape_html(where_of(done)));
    out += fmt::format("<figure>{}</figure>\n",
                       svg_element(draw(done.result.plot), done.result.plot.title));
    out +=
        "<h3>Findings</h3>\n<div class=\"table\">" + to_html(findings_of(done.result)) + "</div>\n";
    out += "<h3>Conditions</h3>\n<ul>\n";
    for (const auto& [name, value] : done.result.conditions) {
        out += fmt::format("<li>{}: {}</li>\n", escape_html(name), escape_html(value));
    }
    out += "</ul>\n" + folded("Data", done.result.table);
    for (const ExperimentResult::FurtherTable& further : done.result.further) {
        out += folded(further.title, further.table);
    }
    return out + "</section>\n";
}

} // namespace

std::string html_experiments(const std::vector<DoneExperiment>& experiments)
{
    std::string body = "<header><h1>Published results, done again</h1>\n"
                       "<p>Every finding is decided by the data below it. One that does not hold "
                       "here is a result as well: "
                       "the simulated devices are not the papers' phones.</p></header>\n";
    body += "<div class=\"table\">" + to_html(overview(experiments)) + "</div>\n";
    for (const DoneExperiment& done : experiments) {
        body += section(done);
    }
    return html_page("Published results, done again", body);
}

} // namespace texelscope::experiments
