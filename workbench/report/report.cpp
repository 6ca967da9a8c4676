#include "workbench/report/report.hpp"

#include "base/number_text.hpp"
#include "workbench/plots/html.hpp"
#include "workbench/report/report_sections.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace texelscope::workbench::report {
namespace {

struct KeyFigure {
    std::string name;
    std::string value;
    std::string note;
};

std::vector<KeyFigure> key_figures(const StudyResult& study, const CrosscheckRow* own)
{
    const SimulationResult& simulation = study.simulation;
    const ModelVariant shown = study.variant.variant;
    std::vector<KeyFigure> figures{
        {"predicted", time_text(study.prediction.cost(shown).kernel), to_string(shown) + " model"},
        {"predicted", time_text(study.prediction.literal.kernel), "TMModel as printed"},
        {"simulated", time_text(study.timed.time(study.options.machine)), "timed mode"},
    };
    if (own != nullptr) {
        figures.push_back({"measured", measured_text(*own),
                           own->checked ? "output agrees with the reference" : own->reason});
    }
    figures.push_back(
        {"L1 misses",
         simulation.l1.lookups > 0 ? percent_text(simulation.l1.miss_rate()) : std::string(dash),
         fmt::format("{} of {} lookups, untimed", count_text(simulation.l1.misses()),
                     count_text(simulation.l1.lookups))});
    figures.push_back({"from memory", bytes_text(simulation.memory_bytes), "untimed"});
    figures.push_back({"occupancy", warps_text(simulation.occupancy),
                       "limited by " + reason(simulation.occupancy, study.options)});
    if (!study.ranking.best.empty()) {
        figures.push_back({"predicted best without R, S, M",
                           time_text(study.ranking.best.front().cost),
                           to_string(study.ranking.best.front().schedule)});
    }
    return figures;
}

std::string header(const StudyResult& study, const std::string& opencl_device)
{
    return fmt::format(
        "<header><h1>{} on {}</h1>\n<p class=\"facts\">simulated on the profile {}, seed "
        "{}{}</p></header>\n",
        escape_html(to_string(study.request.op)), escape_html(study.request.device.name),
        escape_html(study.request.device.name), study.request.seed,
        opencl_device.empty() ? "" : fmt::format("; measured on {}", escape_html(opencl_device)));
}

/// Which judges would take the configuration, as a sentence; empty where none would.
std::string taken_by(const Schedule& schedule, const JudgedConfigurations& judged)
{
    std::vector<std::string> judges;
    for (const JudgeChoice& choice : judged.choices.by_judge) {
        if (judged.crosscheck.rows[choice.row].schedule == schedule) {
            judges.push_back(to_string(choice.judge));
        }
    }
    return judges.empty() ? ""
                          : fmt::format(", what the {} would take", fmt::join(judges, " and the "));
}

/// The configuration that the rest of the page is about.
std::string configuration_section(const StudyResult& study,
                                  const std::optional<JudgedConfigurations>& judged)
{
    const CrosscheckRow* own = nullptr;
    if (judged) {
        const auto found = std::ranges::find(judged->crosscheck.rows, study.request.schedule,
                                             &CrosscheckRow::schedule);
        own = found == judged->crosscheck.rows.end() ? nullptr : &*found;
    }
    std::string out = fmt::format("<section id=\"configuration\"><h2>One configuration</h2>\n<p "
                                  "class=\"facts\">From here on: "
                                  "<code>{}</code>{}</p>\n<dl class=\"figures\">\n",
                                  escape_html(to_string(study.request.schedule)),
                                  judged ? taken_by(study.request.schedule, *judged) : "");
    for (const KeyFigure& figure : key_figures(study, own)) {
        out += fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n",
                           escape_html(figure.name), escape_html(figure.value),
                           escape_html(figure.note));
    }
    return out + "</dl></section>\n";
}

std::string navigation(bool ranking, bool crosscheck)
{
    std::vector<std::pair<std::string_view, std::string_view>> entries;
    if (crosscheck) {
        entries.emplace_back("choices", "Choices");
    }
    entries.insert(entries.end(), {{"configuration", "One configuration"},
                                   {"heat-maps", "Heat maps"},
                                   {"strides", "Strides"},
                                   {"prediction", "Prediction"},
                                   {"calibration", "Calibration"},
                                   {"simulation", "Simulation"}});
    if (ranking) {
        entries.emplace_back("ranking", "Ranking");
    }
    if (crosscheck) {
        entries.emplace_back("crosscheck", "Cross-check");
    }
    entries.emplace_back("kernel", "Kernel");
    entries.emplace_back("device", "Device");
    std::string out = "<nav>";
    for (const auto& [id, words] : entries) {
        out += fmt::format("<a href=\"#{}\">{}</a> ", id, words);
    }
    return out + "</nav>\n";
}

} // namespace

std::string html_report(const StudyResult& study, const std::optional<JudgedConfigurations>& judged,
                        const std::string& opencl_device)
{
    std::string page;
    page += header(study, opencl_device);
    page += navigation(!study.ranking.best.empty(), judged.has_value());
    if (judged) {
        page += choices_section(*judged);
    }
    page += configuration_section(study, judged);
    page += heat_map_section(study);
    page += histogram_section(study);
    page += prediction_section(study);
    page += calibration_section(study);
    page += simulation_section(study);
    page += ranking_section(study);
    if (judged) {
        page += crosscheck_section(judged->crosscheck, study.request.schedule);
    }
    page += fmt::format(
        "<section id=\"kernel\"><h2>Kernel</h2>\n<pre><code>{}</code></pre></section>\n",
        escape_html(study.kernel_text));
    page += device_section(study);
    return html_page(to_string(study.request.op) + " on " + study.request.device.name, page);
}

} // namespace texelscope::workbench::report
