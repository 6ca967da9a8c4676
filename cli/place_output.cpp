#include "cli/place_output.hpp"

#include "devices/jobs/conditions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>
#include <vector>

namespace texelscope::cli {
namespace {

/// What is told, and its value.
using Rows = std::vector<std::pair<std::string, std::string>>;

/// Null where it is not known.
template <class Number>
ordered_json known(const std::optional<Number>& number)
{
    return number ? ordered_json(*number) : ordered_json(nullptr);
}

std::string bytes_text(std::int64_t bytes)
{
    return bytes > 0 ? fmt::format("{} B", bytes) : std::string("not told");
}

/// The formats by the order of their channels: "CL_RGBA: CL_FLOAT, CL_HALF_FLOAT".
Rows format_rows(const ListedDevice& device)
{
    std::vector<std::pair<std::string, std::string>> by_order;
    for (const std::string& format : device.formats) {
        const std::size_t blank = format.find(' ');
        const std::string order = format.substr(0, blank);
        const std::string type = blank == std::string::npos ? "" : format.substr(blank + 1);
        if (by_order.empty() || by_order.back().first != order) {
            by_order.emplace_back(order, type);
        } else {
            by_order.back().second += ", " + type;
        }
    }
    Rows rows;
    for (const auto& [order, types] : by_order) {
        rows.emplace_back(rows.empty() ? "formats" : "", order + ": " + types);
    }
    if (rows.empty()) {
        rows.emplace_back("formats", device.no_formats.empty() ? "none" : device.no_formats);
    }
    return rows;
}

Rows rows_of(const ListedDevice& device)
{
    const OpenClDeviceInfo& info = device.info;
    Rows rows{{"platform", info.platform},
              {"vendor", info.vendor},
              {"driver", info.driver},
              {"version", info.version},
              {"compute units", std::to_string(info.compute_units)},
              {"highest clock", info.clock_mhz > 0 ? fmt::format("{:.0f} MHz", info.clock_mhz)
                                                   : std::string("not told")},
              {"work-group", fmt::format("{} work-items, {}", info.max_work_group,
                                         fmt::join(info.max_work_item_sizes, " x "))},
              {"local memory", bytes_text(info.local_memory)},
              {"largest allocation", bytes_text(info.largest_allocation)},
              {"half precision", info.half ? "computes in it" : "no"},
              {"largest image", info.images ? fmt::format("{}x{}, {} in a kernel", info.image_width,
                                                          info.image_height, device.read_images)
                                            : std::string("none")}};
    if (info.images) {
        for (auto& row : format_rows(device)) {
            rows.push_back(std::move(row));
        }
    }
    rows.emplace_back("extensions", fmt::format("{}", fmt::join(device.extensions, " ")));
    return rows;
}

} // namespace

ordered_json device_json(const OpenClDeviceInfo& device)
{
    return {{"index", device.index},
            {"platform", device.platform},
            {"name", device.name},
            {"vendor", device.vendor},
            {"driver", device.driver},
            {"version", device.version},
            {"cpu", device.cpu},
            {"compute_units", device.compute_units},
            {"max_work_group", device.max_work_group},
            {"images", device.images},
            {"image_width", device.image_width},
            {"image_height", device.image_height},
            {"part_alignment", device.part_alignment},
            {"image_part_alignment", device.image_part_alignment},
            {"image_row_multiple", device.image_row_multiple},
            {"half", device.half}};
}

ordered_json reference_json(const ReferenceTimes& reference)
{
    return reference.told()
               ? ordered_json{{"median_ns", reference.median_ns}, {"spread", reference.spread}}
               : ordered_json();
}

ordered_json place_json(const std::string& on, const DeviceListing& listing)
{
    ordered_json devices = ordered_json::array();
    for (const ListedDevice& device : listing.devices) {
        ordered_json json = device_json(device.info);
        json["clock_mhz"] = device.info.clock_mhz;
        json["max_work_item_sizes"] = device.info.max_work_item_sizes;
        json["local_memory"] = device.info.local_memory;
        json["largest_allocation"] = device.info.largest_allocation;
        json["read_images"] = device.read_images;
        json["formats"] = device.formats;
        json["no_formats"] = device.no_formats;
        json["extensions"] = device.extensions;
        devices.push_back(std::move(json));
    }
    ordered_json json{{"on", on}};
    json["library"] = listing.library;
    json["now"] = {{"clock_hz", known(listing.now.clock_hz)},
                   {"clock_source", listing.now.clock_source},
                   {"millidegrees", known(listing.now.millidegrees)},
                   {"temperature_source", listing.now.temperature_source}};
    json["devices"] = std::move(devices);
    return json;
}

std::string place_text(const std::string& on, const DeviceListing& listing)
{
    std::string text =
        fmt::format("{}: OpenCL library {}\nnow: {}\n", on,
                    listing.library.empty() ? "that this program is linked with" : listing.library,
                    to_string(listing.now));
    for (const ListedDevice& device : listing.devices) {
        text += fmt::format("\n{}  {}\n", device.info.index, device.info.name);
        for (const auto& [what, value] : rows_of(device)) {
            text += fmt::format("   {:<18}  {}\n", what, value);
        }
    }
    return text;
}

} // namespace texelscope::cli
