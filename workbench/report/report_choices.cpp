#include "base/number_text.hpp"
#include "workbench/plots/html.hpp"
#include "workbench/report/report_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace texelscope::workbench::report {
namespace {

std::string code(const Schedule& schedule)
{
    return "<code>" + escape_html(to_string(schedule)) + "</code>";
}

std::string over_best_text(const JudgeChoice& choice)
{
    return choice.over_best == 0.0
               ? "the best"
               : percent_text(choice.over_best) + (choice.over_best ? " more" : "");
}

/// What sets one row apart from another, as a table; a sentence where nothing does.
std::string apart_table(const JudgeChoices& choices, std::size_t row, std::size_t from)
{
    const std::vector<FactDifference> found =
        differences(choices.facts.at(row), choices.facts.at(from));
    if (found.empty()) {
        return "<p>Nothing that is counted here differs: what tells them apart is not known to the "
               "judges.</p>\n";
    }
    HtmlTable table{{{"", false}, {"choice", true}, {"other", true}, {"ratio", true}}, {}, {}};
    for (const FactDifference& each : found) {
        table.rows.push_back({each.name, each.here, each.there, number_text(each.ratio)});
    }
    return to_html(table);
}

/// A sentence for each pair of judges.
std::string agreement(const CrosscheckResult& crosscheck)
{
    std::string out;
    for (const JudgePair& pair : crosscheck.pairs) {
        if (pair.kendall) {
            out += fmt::format("{}{} {:.2f}", out.empty() ? "" : ", ", pair.name(" and "),
                               *pair.kendall);
        }
    }
    return out;
}

std::string why(const JudgeChoice& choice, const JudgedConfigurations& judged)
{
    const CrosscheckResult& crosscheck = judged.crosscheck;
    const JudgeChoices& choices = judged.choices;
    std::string out = fmt::format(
        "<details open=\"open\"><summary>The {}\u2019s choice: {}</summary>\n<p>{}.</p>\n",
        to_string(choice.judge), code(crosscheck.rows[choice.row].schedule),
        escape_html(facts_text(choices.facts.at(choice.row))));
    const auto against = [&](const char* words, const std::optional<std::size_t>& other) {
        if (other && *other != choice.row) {
            out += fmt::format("<p>{} {}:</p>\n{}", words, code(crosscheck.rows[*other].schedule),
                               apart_table(choices, choice.row, *other));
        }
    };
    against("Apart from its second,", choice.second);
    against("Apart from the one in use,", choices.in_use);
    return out + "</details>\n";
}

} // namespace

std::string choices_section(const JudgedConfigurations& judged)
{
    const auto& [crosscheck, choices] = judged;
    const bool ran = choices.of(Judge::device) != nullptr;
    std::string out = "<section id=\"choices\"><h2>What the judges would take</h2>\n";
    if (const auto note = unlike_note(crosscheck)) {
        out += "<p><strong>" + escape_html(*note) + "</strong></p>\n";
    }
    out += fmt::format("<p>{}; judged by the model ({}), by the simulator of {}{}. In the table, "
                       "launches that leave "
                       "no core more than "
                       "others are simulated on a few of the cores; further down, on all.</p>\n",
                       rows_text(crosscheck), to_string(crosscheck.variant.variant),
                       escape_html(crosscheck.profile),
                       ran ? " and by runs on " + escape_html(crosscheck.device)
                           : "; nothing was run");
    HtmlTable table{{{"judge", false},
                     {"would take", false},
                     {"model", true},
                     {"simulator", true},
                     {"device", true},
                     {ran ? "measured time" : "simulated time", true},
                     {"", false}},
                    {},
                    {}};
    for (const JudgeChoice& choice : choices.by_judge) {
        const CrosscheckRow& row = crosscheck.rows[choice.row];
        table.rows.push_back(
            {to_string(choice.judge), code(row.schedule), time_text(row.predicted),
             time_text(row.simulated), measured_text(row), over_best_text(choice),
             choice.alike > 1 ? fmt::format("{} are alike to it", choice.alike) : std::string()});
    }
    out += to_html(table);
    out += fmt::format("<p>Agreement over all of them, as Kendall\u2019s \u03C4 (1: the same "
                       "order, 0: none): {}.</p>\n",
                       agreement(crosscheck));
    out += "<div class=\"row\">\n" + agreement_figures(crosscheck) + "</div>\n";
    for (const JudgeChoice& choice : choices.by_judge) {
        if (std::ranges::find(choices.by_judge, choice.row, &JudgeChoice::row)->judge ==
            choice.judge) {
            out += why(choice, judged);
        }
    }
    return out + "<p>Next: <a href=\"#heat-maps\">what the kernel reads and misses</a>, "
                 "<a href=\"#simulation\">where its time goes</a>, <a href=\"#crosscheck\">every "
                 "configuration</a>, "
                 "<a href=\"#kernel\">its text</a>.</p>\n</section>\n";
}

} // namespace texelscope::workbench::report
