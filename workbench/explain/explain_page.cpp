// The page of `explain`: tables, heat maps as pictures within, the kernel's text.

#include "base/lists.hpp"
#include "base/number_text.hpp"
#include "workbench/explain/explained_output.hpp"
#include "workbench/plots/heat_map_picture.hpp"
#include "workbench/plots/html.hpp"
#include "workbench/report/html_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::workbench::explain {
namespace {

using namespace plots;

constexpr int side_of_map = 384; ///< pixels of a heat map's longer side

std::string map_figure(const HeatMap& map, const std::string& name, const std::string& words)
{
    if (map.max() == 0) {
        return fmt::format("<figure><figcaption>no {} of {}</figcaption></figure>\n", words,
                           escape_html(name));
    }
    const Picture picture =
        heat_map_picture(map, name + ": " + words, ColourScale::logarithmic, side_of_map);
    return fmt::format(
        "<figure><img src=\"data:image/png;base64,{}\" width=\"{}\" height=\"{}\" alt=\"{} of "
        "{}\"/><figcaption>{} {}, at most {} at one texel</figcaption></figure>\n",
        base64(to_png(picture)), picture.width, picture.height, words, escape_html(name),
        count_text(map.total()), words, count_text(map.max()));
}

std::string list_of(const std::vector<std::string>& lines)
{
    std::string out = "<ul>\n";
    for (const std::string& line : lines) {
        out += "<li>" + escape_html(line) + "</li>\n";
    }
    return out + "</ul>\n";
}

std::string device_section(const ExplainedKernel& kernel, std::size_t number)
{
    std::string out =
        fmt::format("<section id=\"device-{}\"><h2>{}: {}</h2>\n{}<h3>What it reads</h3>\n{}",
                    number, escape_html(kernel.device), time_text(Nanoseconds{kernel.time.ns()}),
                    list_of(facts(kernel)), to_html(report::html_table(reads_table(kernel))));
    for (const ArgumentReads& of : kernel.reads) {
        // What is read is the same on every device; what misses is not.
        if (of.map && of.reads > 0) {
            out += number == 0 ? map_figure(*of.map, of.image.name, "reads") : "";
            out += map_figure(*of.misses, of.image.name, "misses in L1");
        }
    }
    out += "<h3>What to change</h3>\n";
    const ResultTable changes = changes_table(kernel);
    if (!changes.rows.empty()) {
        out += to_html(report::html_table(changes));
    }
    return out + list_of(remarks(kernel)) + "</section>\n";
}

} // namespace

std::string explain_page(const ExplainedLaunch& launch, const std::vector<ExplainedKernel>& devices,
                         const std::string& program_text)
{
    const std::string title = launch.launch.kernel + " of " + launch.file;
    std::string body = fmt::format(
        "<header><h1>{}</h1>\n<p class=\"facts\">global size {}, local size {}, {}</p></header>\n",
        escape_html(title), size_text(launch.launch.global), size_text(launch.launch.local),
        launch.trace.empty()
            ? "run for this with " +
                  escape_html(
                      base::joined(launch.arguments, [](const std::string& each) { return each; }))
            : "recorded in " + escape_html(launch.trace));
    body += fmt::format("<section id=\"devices\"><h2>Devices</h2>\n{}<p>It executes {}.</p>"
                        "</section>\n",
                        to_html(report::html_table(devices_table(devices))),
                        escape_html(executed_words(launch.launch)));
    for (std::size_t i = 0; i < devices.size(); ++i) {
        body += device_section(devices[i], i);
    }
    body += fmt::format(
        "<section id=\"kernel\"><h2>Kernel</h2>\n<pre><code>{}</code></pre></section>\n",
        escape_html(program_text));
    return html_page(title, body);
}

} // namespace texelscope::workbench::explain
