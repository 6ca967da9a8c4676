#include "experiments/report.hpp"

#include "experiments/html.hpp"
#include "experiments/report_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace texelscope {
namespace {

// No ampersand and no "less than": the page is HTML and well-formed XML at once.
constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1d2129; --soft: #5b6470; --line: #d9dde3; --card: #f5f6f8;
  --accent: #0072b2; --this: #fff3d6; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171c; --ink: #e4e7ec; --soft: #9aa4b2; --line: #343b46; --card: #1d222a; --accent: #56b4e9;
    --this: #3a3219; }
  .series-0 { fill: #56b4e9; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto,
  "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 6px; }
h2 { font-size: 20px; margin: 48px 0 8px; padding-top: 12px; border-top: 1px solid var(--line); }
h3 { font-size: 16px; margin: 24px 0 8px; }
h3 small { font-weight: 400; color: var(--soft); margin-left: 8px; }
p { margin: 6px 0 12px; max-width: 80ch; }
section p, figcaption { color: var(--soft); }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 13px; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; overflow: auto;
  max-height: 640px; line-height: 1.45; tab-size: 4; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 16px 0 0; font-size: 14px; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
.facts { color: var(--soft); margin: 0; }
.facts code { color: var(--ink); }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(168px, 1fr)); gap: 12px; margin: 24px 0 0; }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
.figures dt { color: var(--soft); font-size: 13px; }
.figures dd { margin: 0; font-size: 20px; font-weight: 600; font-variant-numeric: tabular-nums; }
.figures dd small { display: block; font-size: 12px; overflow-wrap: anywhere; font-weight: 400; color: var(--soft); }
.row { display: flex; flex-wrap: wrap; gap: 16px 24px; align-items: flex-start; }
figure { margin: 0; max-width: 100%; }
figure img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px; display: block; }
figure svg { max-width: 100%; height: auto; display: block; }
figcaption { font-size: 13px; margin-top: 4px; }
.row + .table { margin-top: 20px; }
.table { overflow-x: auto; max-width: 100%; margin: 8px 0 16px; }
table { border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.this td { background: var(--this); }
@media print { pre { max-height: none; } nav { display: none; } section { break-inside: avoid-page; } }
)css";

struct KeyFigure {
    std::string name;
    std::string value;
    std::string note;
};

std::vector<KeyFigure> key_figures(const StudyResult& study, const CrosscheckRow* own)
{
    const SimulationResult& simulation = study.simulation;
    std::vector<KeyFigure> figures{
        {"predicted", time_text(study.prediction.literal.kernel), "model as printed"},
        {"predicted", time_text(study.prediction.refined.kernel), "warps counted"},
        {"simulated", time_text(study.timed.time(study.options)), "timed mode"},
    };
    if (own != nullptr) {
        figures.push_back(
            {"measured", time_text(own->measured), own->checked ? "output agrees with the reference" : own->reason});
    }
    figures.push_back(
        {"L1 misses", simulation.l1.lookups > 0 ? percent_text(simulation.l1.miss_rate()) : std::string(dash),
         fmt::format("{} of {} lookups", count_text(simulation.l1.misses()), count_text(simulation.l1.lookups))});
    figures.push_back({"from memory", bytes_text(simulation.memory_bytes), "untimed"});
    figures.push_back({"occupancy", fmt::format("{} warps", simulation.occupancy.warps),
                       "limited by " + to_string(simulation.occupancy.limiter)});
    if (!study.ranking.best.empty()) {
        figures.push_back({"best by the model", time_text(study.ranking.best.front().cost),
                           to_string(study.ranking.best.front().schedule)});
    }
    return figures;
}

std::string header(const StudyResult& study, const CrosscheckRow* own, const std::string& opencl_device)
{
    const DeviceProfile& device = study.request.device;
    std::string out = fmt::format(
        "<header><h1>{}</h1>\n<p class=\"facts\">configuration <code>{}</code></p>\n<p class=\"facts\">on the profile "
        "{}, seed {}{}</p>\n",
        escape_html(to_string(study.request.op)), escape_html(to_string(study.request.schedule)),
        escape_html(device.name), study.request.seed,
        opencl_device.empty() ? "" : fmt::format("; measured on {}", escape_html(opencl_device)));
    out += "<dl class=\"figures\">\n";
    for (const KeyFigure& figure : key_figures(study, own)) {
        out += fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", escape_html(figure.name),
                           escape_html(figure.value), escape_html(figure.note));
    }
    return out + "</dl></header>\n";
}

std::string navigation(bool ranking, bool crosscheck)
{
    std::vector<std::pair<std::string_view, std::string_view>> entries{
        {"heat-maps", "Heat maps"},     {"strides", "Strides"},       {"prediction", "Prediction"},
        {"calibration", "Calibration"}, {"simulation", "Simulation"},
    };
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

std::string html_report(const StudyResult& study, const std::optional<CrosscheckResult>& crosscheck,
                        const std::string& opencl_device)
{
    const CrosscheckRow* own = nullptr;
    if (crosscheck) {
        const auto found =
            std::find_if(crosscheck->rows.begin(), crosscheck->rows.end(),
                         [&](const CrosscheckRow& row) { return row.schedule == study.request.schedule; });
        own = found == crosscheck->rows.end() ? nullptr : &*found;
    }
    std::string page =
        fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{} on {}: "
                    "Texelscope</title>\n"
                    "<style>{}</style>\n</head>\n<body>\n<main>\n",
                    escape_html(to_string(study.request.op)), escape_html(study.request.device.name), style);
    page += header(study, own, opencl_device);
    page += navigation(!study.ranking.best.empty(), crosscheck.has_value());
    page += heat_map_section(study);
    page += histogram_section(study);
    page += prediction_section(study);
    page += calibration_section(study);
    page += simulation_section(study);
    page += ranking_section(study);
    if (crosscheck) {
        page += crosscheck_section(*crosscheck, study.request.schedule);
    }
    page += fmt::format("<section id=\"kernel\"><h2>Kernel</h2>\n<pre><code>{}</code></pre></section>\n",
                        escape_html(study.kernel_text));
    page += device_section(study);
    return page + "</main>\n</body>\n</html>\n";
}

} // namespace texelscope
