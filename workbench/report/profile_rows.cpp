#include "workbench/report/profile_rows.hpp"

#include "workbench/machines/machines_json.hpp"

#include <map>

namespace texelscope::workbench::report {
namespace {

/// The value in force of a key that the profile does not set.
std::string default_text(const DeviceProfile& device, const std::string& key)
{
    if (key == "limits.image_width") {
        return std::to_string(device.limits.image_width);
    }
    if (key == "limits.image_height") {
        return std::to_string(device.limits.image_height);
    }
    if (key == "limits.work_group_size") {
        return std::to_string(device.limits.work_group_size);
    }
    if (key == "limits.buffer_l1" && device.limits.buffer_l1) {
        return std::to_string(device.limits.buffer_l1->value);
    }
    if (key.starts_with("limits.")) {
        return "not known";
    }
    return key.starts_with("model.") ? get(device.model, key) : get(device.simulation, key);
}

/// What the machines of a device have for each key in which they differ.
std::map<std::string, std::string> over_machines(const DeviceProfile& device)
{
    std::map<std::string, std::string> texts;
    if (const auto set = machines::machines_of(device)) {
        for (const machines::MachineSet::Value& value : set->values) {
            texts[value.key] = !value.told()             ? "open"
                               : value.low == value.high ? value.low
                                                         : value.low + " to " + value.high;
        }
    }
    return texts;
}

} // namespace

std::vector<ProfileRow> profile_rows(const DeviceProfile& device)
{
    const std::map<std::string, std::string> machines = over_machines(device);
    std::vector<ProfileRow> rows;
    for (const Setting& key : profile_keys(device)) {
        const auto found = device.values.find(key.key);
        if (found == device.values.end()) {
            rows.push_back(
                {key.key, key.about, default_text(device, key.key), key.unit, {}, {}, {}});
        } else {
            const ProfileValue& value = found->second;
            rows.push_back(
                {key.key, key.about, value.text, value.unit, value.provenance, value.source, {}});
        }
        if (const auto range = machines.find(key.key);
            range != machines.end() && rows.back().source != devices::override_source) {
            rows.back().machines = range->second;
        }
    }
    return rows;
}

} // namespace texelscope::workbench::report
