#include "experiments/html.hpp"
#include "experiments/report_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace texelscope {
namespace {

/// The value in force of a key that the profile does not set.
std::string default_text(const DeviceProfile& device, const std::string& key)
{
    if (key == "limits.image_width") {
        return fmt::format("{}", device.limits.image_width);
    }
    if (key == "limits.image_height") {
        return fmt::format("{}", device.limits.image_height);
    }
    if (key == "limits.work_group_size") {
        return fmt::format("{}", device.limits.work_group_size);
    }
    if (key == "limits.buffer_l1") {
        return device.limits.buffer_l1 ? fmt::format("{}", device.limits.buffer_l1->value) : "not known";
    }
    return get(device.simulation, key);
}

} // namespace

std::string device_section(const StudyResult& study)
{
    const DeviceProfile& device = study.request.device;
    HtmlTable table{
        {{"setting", false}, {"value", true}, {"unit", false}, {"known from", false}, {"source", false}}, {}, {}};
    for (const Setting& key : profile_keys()) {
        const std::string name =
            fmt::format("<code title=\"{}\">{}</code>", escape_html(key.about), escape_html(key.key));
        const auto found = device.values.find(key.key);
        if (found == device.values.end()) {
            table.rows.push_back({name, escape_html(default_text(device, key.key)), escape_html(key.unit), "default",
                                  std::string(dash)});
            continue;
        }
        const ProfileValue& value = found->second;
        table.rows.push_back({name, escape_html(value.text), escape_html(value.unit),
                              escape_html(to_string(value.provenance)),
                              value.source.empty() ? std::string(dash) : escape_html(value.source)});
    }
    return fmt::format(
        "<section id=\"device\"><h2>Device: {}</h2>\n<p>{}</p>\n<p>The kernel adds {} registers for each "
        "work-item and {} cycles of arithmetic between two accesses of a warp.</p>\n{}</section>\n",
        escape_html(device.name), escape_html(device.description), study.options.registers_per_item,
        number_text(study.options.timing.alu_cycles_per_step), to_html(table));
}

} // namespace texelscope
