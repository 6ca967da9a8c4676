#include "workbench/phones/phone_report.hpp"

#include "base/averages.hpp"
#include "base/lists.hpp"
#include "base/number_text.hpp"
#include "model/statistics/kendall.hpp"
#include "workbench/plots/drawing.hpp"
#include "workbench/plots/html.hpp"
#include "workbench/probes/identification_plots.hpp"
#include "workbench/probes/identification_tables.hpp"
#include "workbench/probes/probe_plot.hpp"
#include "workbench/report/html_tables.hpp"
#include "workbench/store/result_clocks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace texelscope::workbench::phones {
namespace {

bool is_right(const PhoneConclusions::Kernel& kernel)
{
    return kernel.result.status == RunStatus::ok;
}

std::string figure(const PanelPlot& plot)
{
    return fmt::format("<figure>{}</figure>\n", svg_element(draw(plot), plot.title));
}

std::string section(const std::string& id, const std::string& title, const std::string& body)
{
    return fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", id, escape_html(title),
                       body);
}

std::string table(const HtmlTable& rows)
{
    return "<div class=\"table\">" + to_html(rows) + "</div>\n";
}

std::string folded(const std::string& title, const std::string& body)
{
    return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escape_html(title), body);
}

std::string device_section(const PhoneRecord& record)
{
    const OpenClDeviceInfo& info = record.device.info;
    HtmlTable rows{{{"what"}, {"the driver's answer"}}, {}, {}};
    const auto add = [&](const std::string& what, const std::string& value) {
        rows.rows.push_back({escape_html(what), escape_html(value)});
    };
    add("platform", info.platform);
    add("vendor", info.vendor);
    add("driver", info.driver);
    add("version", info.version);
    add("compute units", count_text(info.compute_units));
    add("highest clock",
        info.clock_mhz > 0 ? fmt::format("{:.0f} MHz", info.clock_mhz) : "not told");
    add("work-group", fmt::format("{} work-items", info.max_work_group));
    add("local memory", bytes_text(Bytes{info.local_memory}));
    add("largest image", info.images ? fmt::format("{}x{}, {} in a kernel", info.image_width,
                                                   info.image_height, record.device.read_images)
                                     : "none");
    add("half precision", info.half ? "computes in it" : "no");
    const std::string more = fmt::format(
        "<p class=\"facts\">Extensions: {}</p>\n<p class=\"facts\">Formats of images: {}</p>\n",
        escape_html(fmt::format("{}", fmt::join(record.device.extensions, " "))),
        escape_html(fmt::format("{}", fmt::join(record.device.formats, ", "))));
    return section("device", "The device", table(rows) + folded("Extensions and formats", more));
}

/// The clock at each measurement of a kernel, over the highest.
std::string clock_section(const PhoneRecord& record)
{
    const std::vector<ResultClock> clocks = result_clocks(record.kernels);
    PanelPlot plot;
    plot.title = "Clock at each measurement";
    plot.x_label = "measurement";
    plot.left_label = "clock over the highest";
    plot.x_low = 0;
    plot.x_high = static_cast<double>(std::max<std::size_t>(1, clocks.size()));
    plot.x_ticks = PlotAxis{plot.x_low, plot.x_high}.ticks(8);
    plot.left = PlotAxis{0, 1.1};
    plot.panel_width = 560;
    PanelPlot::Curve held{"held", 1, {}, {}, true, false};
    PanelPlot::Curve changed{"changed meanwhile", 5, {}, {}, true, false};
    std::size_t told = 0, highest = 0;
    for (std::size_t i = 0; i < clocks.size(); ++i) {
        if (!record.kernels[i].reference.told()) {
            continue;
        }
        ++told;
        if (clocks[i].highest()) {
            ++highest;
        }
        (clocks[i].steady ? held : changed)
            .points.push_back({static_cast<double>(i), clocks[i].clock, record.kernels[i].config});
    }
    if (told == 0) {
        return section("clock", "The clock",
                       "<p>No reference kernel ran, so nothing is known of it.</p>\n");
    }
    plot.panels.push_back({});
    plot.panels.back().curves = {held, changed};
    return section("clock", "The clock",
                   fmt::format("<p>A reference kernel around each sample tells it: {} of {} "
                               "measurements were at the highest clock.</p>\n",
                               highest, told) +
                       figure(plot));
}

std::string probes_section(const PhoneRecord& record)
{
    HtmlTable rows{{{"key"}, {"value", true}, {"unit"}, {"probe"}, {"how"}}, {}, {}};
    std::string missing, plots;
    for (const ProbeRecord& probe : record.probes) {
        for (const ProbeFinding& finding : probe.result.findings) {
            rows.rows.push_back({escape_html(finding.key), number_text(finding.value),
                                 escape_html(finding.unit), escape_html(probe.name),
                                 escape_html(finding.how)});
        }
        if (probe.status != ProbeRecord::Status::done) {
            missing += fmt::format("<li>{} {}: {}</li>\n", escape_html(probe.name),
                                   escape_html(to_string(probe.status)), escape_html(probe.reason));
        }
        const auto known = std::ranges::find(probes::probes(), probe.name, &Probe::name);
        if (known != probes::probes().end() && !probe.result.curves.empty()) {
            std::string figures;
            for (const ProbePlot& plot : plots_of(*known, probe.result, record.device.info.name)) {
                figures += figure(plot.plot);
            }
            plots += folded(probe.name, figures);
        }
    }
    return section("probes", "What probes found",
                   (rows.rows.empty() ? "<p>Nothing.</p>\n" : table(rows)) +
                       (missing.empty() ? "" : "<ul>\n" + missing + "</ul>\n") + plots);
}

std::string cache_section(const PhoneRecord& record, const PhoneConclusions& found)
{
    if (!found.identification) {
        return section("cache", "The texture cache",
                       fmt::format("<p>No walks: {}</p>\n", escape_html(record.no_walks)));
    }
    std::string body =
        fmt::format("<pre>{}</pre>\n",
                    escape_html(identification_summary(*record.walks, *found.identification)));
    if (!found.explained) {
        body += "<p>No texture cache explains the latencies of these walks.</p>\n";
    }
    body += figure(walks_plot(*record.walks, *found.identification));
    body += folded("Explanations", table(html_table(explanations_table(*found.identification))));
    body += folded("What is determined", table(html_table(support_table(*found.identification))));
    return section("cache", "The texture cache", body);
}

std::string agreement_line(const char* when, const PhoneAgreementText& text)
{
    return fmt::format("<li>{}: Kendall's tau {}, median error {}</li>\n", when,
                       text.tau ? fmt::format("{:.2f}", *text.tau) : std::string(dash),
                       percent_text(text.error));
}

std::string kernels_section(const PhoneConclusions& found)
{
    PanelPlot::Curve before{"profile as it was", 2, {}, {}, true, false};
    PanelPlot::Curve after{"profile that was concluded", 1, {}, {}, true, false};
    for (const PhoneConclusions::Kernel& kernel : found.kernels) {
        if (!is_right(kernel)) {
            continue;
        }
        constexpr double ms = 1e-6;
        const std::string about = kernel.result.op + " " + kernel.result.config;
        before.points.push_back({kernel.result.median_ns() * ms, kernel.before_ns * ms, about});
        after.points.push_back({kernel.result.median_ns() * ms, kernel.after_ns * ms, about});
    }
    if (after.points.empty()) {
        return section("kernels", "Kernels",
                       "<p>None ran with a right output.</p>\n" +
                           table(html_table(kernels_table(found))));
    }
    PanelPlot plot = scatter_plot({before, after}, ScatterAxes::one_scale);
    plot.title = "Kernels: predicted over measured";
    plot.x_label = "measured, ms";
    plot.left_label = "predicted by the model, ms";
    plot.panel_width = 380;
    plot.panel_height = 300;
    std::string machines;
    if (found.machines) {
        machines = fmt::format("<p>{} machines agree with them; the profile has the best one's "
                               "values. It was identified on these very kernels, so its agreement "
                               "says how well a machine can be found, not how well it "
                               "foretells.</p>\n",
                               found.machines->machines.size());
    }
    return section("kernels", "Kernels",
                   "<ul>\n" + agreement_line("profile as it was", agreement(found, false)) +
                       agreement_line("profile that was concluded", agreement(found, true)) +
                       "</ul>\n" + machines + figure(plot) +
                       folded("All kernels", table(html_table(kernels_table(found)))));
}

std::string profile_section(const PhoneConclusions& found)
{
    HtmlTable rows{{{"key"}, {"value", true}, {"unit"}, {"from"}, {"source"}}, {}, {}};
    for (const Setting& setting : profile_keys(found.profile)) {
        const auto value = found.profile.values.find(setting.key);
        if (value != found.profile.values.end()) {
            rows.rows.push_back({escape_html(setting.key), escape_html(value->second.text),
                                 escape_html(value->second.unit),
                                 escape_html(to_string(value->second.provenance)),
                                 escape_html(value->second.source)});
        }
    }
    return section("profile", "The profile", folded("All values", table(rows)));
}

std::string notes_section(const PhoneConclusions& found)
{
    std::string list;
    for (const std::string& note : found.notes) {
        list += fmt::format("<li>{}</li>\n", escape_html(note));
    }
    return list.empty()
               ? ""
               : section("notes", "What could not be concluded", "<ul>\n" + list + "</ul>\n");
}

} // namespace

PhoneAgreementText agreement(const PhoneConclusions& found, bool after)
{
    std::vector<double> predicted, measured, errors;
    for (const PhoneConclusions::Kernel& kernel : found.kernels) {
        const double ns = after ? kernel.after_ns : kernel.before_ns;
        if (is_right(kernel) && ns > 0) {
            predicted.push_back(ns);
            measured.push_back(kernel.result.median_ns());
            errors.push_back(std::abs(ns / measured.back() - 1));
        }
    }
    if (errors.empty()) {
        return {};
    }
    return {errors.size(), kendall_tau_b(predicted, measured), median(errors)};
}

ResultTable kernels_table(const PhoneConclusions& found)
{
    ResultTable rows{
        {"operator", "configuration", "status", "measured_ns", "before_ns", "after_ns"}, {}};
    const double none = std::nan("");
    for (const PhoneConclusions::Kernel& kernel : found.kernels) {
        const StoredResult& result = kernel.result;
        rows.rows.push_back(
            {result.op + " " + result.shape, result.config,
             to_string(result.status) + (result.reason.empty() ? "" : ": " + result.reason),
             is_right(kernel) ? result.median_ns() : none,
             kernel.before_ns > 0 ? kernel.before_ns : none,
             kernel.after_ns > 0 ? kernel.after_ns : none});
    }
    return rows;
}

std::string phone_page(const PhoneRecord& record, const PhoneConclusions& found)
{
    const std::string title = record.device.info.name;
    std::string body = fmt::format(
        "<header><h1>{}</h1>\n<p class=\"facts\">measured by texelscope {}, {}{}</p></header>\n",
        escape_html(title), escape_html(record.program), escape_html(record.month),
        record.simulated ? "; SIMULATED, no device" : "");
    body += device_section(record) + clock_section(record) + probes_section(record) +
            cache_section(record, found) + kernels_section(found) + profile_section(found) +
            notes_section(found);
    return html_page(title, body);
}

} // namespace texelscope::workbench::phones
