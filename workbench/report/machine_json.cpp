#include "workbench/report/machine_json.hpp"

#include "sim/options/settings.hpp"

#include <charconv>

namespace texelscope::workbench::report {

void add_occupancy(ordered_json& out, const Occupancy& occupancy, const SimulationOptions& options)
{
    out["resident_warps"] = occupancy.resident;
    out["resident_groups"] = occupancy.groups > 0 ? ordered_json(occupancy.groups) : ordered_json();
    out["occupancy_limiter"] = to_string(occupancy.limiter);
    out["occupancy_reason"] = reason(occupancy, options);
}

std::string member_of(const std::string& level)
{
    return level == "L2" ? "l2" : level;
}

ordered_json settings_json(const SimulationOptions& options, const ModelOptions& model)
{
    ordered_json values;
    const auto add = [&](const std::string& key, const std::string& text) {
        double number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error == std::errc{} && end == text.data() + text.size()) {
            values[key] = ordered_json::parse(text);
        } else {
            values[key] = text;
        }
    };
    for (const Setting& setting : settings(options.machine)) {
        add(setting.key, get(options, setting.key));
    }
    for (const Setting& setting : model_settings()) {
        add(setting.key, get(model, setting.key));
    }
    return values;
}

} // namespace texelscope::workbench::report
