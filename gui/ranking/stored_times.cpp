#include "gui/ranking/stored_times.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace texelscope::gui {

StoredTimes stored_times(const StoreTable& table, const Operator& op)
{
    const std::string shape = fmt::format("{}", fmt::join(op.shape, ","));
    struct Newest {
        std::string timestamp;
        double ns = 0;
    };
    std::map<std::pair<std::string, std::string>, Newest> newest; // by device and configuration
    StoredTimes times;
    for (const StoreRow& row : table.rows) {
        if (row.op != op.name || row.shape != shape || row.padding != op.padding) {
            continue;
        }
        if (row.judge != "device" || row.status != "ok" || !(row.median_ns > 0)) {
            ++times.others;
            continue;
        }
        Newest& known = newest[{row.device, row.config}];
        if (known.ns == 0 || row.timestamp >= known.timestamp) {
            known = {row.timestamp, row.median_ns};
        }
    }
    for (const auto& [key, time] : newest) {
        try {
            times.by_device[key.first].emplace_back(parse_schedule(key.second), time.ns);
        } catch (const Error&) {
            ++times.others; // a later version may know more of configurations
        }
    }
    return times;
}

std::string device_with_most_times(const StoredTimes& times)
{
    const auto most = std::max_element(times.by_device.begin(), times.by_device.end(),
                                       [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    return most == times.by_device.end() ? std::string() : most->first;
}

} // namespace texelscope::gui
