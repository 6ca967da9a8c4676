#include "base/number_text.hpp"
#include "experiments/render/html.hpp"
#include "experiments/report/profile_rows.hpp"
#include "experiments/report/report_sections.hpp"

#include <fmt/format.h>

#include <string>

namespace texelscope::experiments {

std::string device_section(const StudyResult& study)
{
    const DeviceProfile& device = study.request.device;
    HtmlTable table{
        {{"setting", false}, {"value", true}, {"unit", false}, {"known from", false}, {"source", false}}, {}, {}};
    const auto text = [](const std::string& s) { return s.empty() ? std::string(dash) : escape_html(s); };
    for (const ProfileRow& row : profile_rows(device)) {
        table.rows.push_back({fmt::format("<code title=\"{}\">{}</code>", escape_html(row.about), escape_html(row.key)),
                              escape_html(row.value), escape_html(row.unit),
                              row.from ? escape_html(to_string(*row.from)) : "default", text(row.source)});
    }
    return fmt::format(
        "<section id=\"device\"><h2>Device: {}</h2>\n<p>{}</p>\n<p>The kernel adds {} registers for each "
        "work-item and {} cycles of arithmetic between two accesses of a warp.</p>\n{}</section>\n",
        escape_html(device.name), escape_html(device.description), study.options.registers_per_item,
        number_text(study.options.timing.alu_cycles_per_step), to_html(table));
}

} // namespace texelscope::experiments
