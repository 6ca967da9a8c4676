#include "workbench/phones/phone_record.hpp"

#include "base/error.hpp"
#include "traces/native/file_stream.hpp"
#include "workbench/store/phone_results.hpp"

#include <ostream>
#include <set>
#include <utility>

namespace texelscope::workbench::phones {
namespace {

using Json = nlohmann::ordered_json;

Json device_json(const ListedDevice& device)
{
    const OpenClDeviceInfo& info = device.info;
    return {{"platform", info.platform},
            {"name", info.name},
            {"vendor", info.vendor},
            {"driver", info.driver},
            {"version", info.version},
            {"cpu", info.cpu},
            {"compute_units", info.compute_units},
            {"clock_mhz", info.clock_mhz},
            {"max_work_group", info.max_work_group},
            {"max_work_item_sizes", info.max_work_item_sizes},
            {"images", info.images},
            {"image_width", info.image_width},
            {"image_height", info.image_height},
            {"read_images", device.read_images},
            {"local_memory", info.local_memory},
            {"largest_allocation", info.largest_allocation},
            {"half", info.half},
            {"formats", device.formats},
            {"extensions", device.extensions}};
}

ListedDevice device_from_json(const Json& json)
{
    ListedDevice device;
    OpenClDeviceInfo& info = device.info;
    const auto read = [&](const char* name, auto& value) { json.at(name).get_to(value); };
    read("platform", info.platform);
    read("name", info.name);
    read("vendor", info.vendor);
    read("driver", info.driver);
    read("version", info.version);
    read("cpu", info.cpu);
    read("compute_units", info.compute_units);
    read("clock_mhz", info.clock_mhz);
    read("max_work_group", info.max_work_group);
    read("max_work_item_sizes", info.max_work_item_sizes);
    read("images", info.images);
    read("image_width", info.image_width);
    read("image_height", info.image_height);
    read("read_images", device.read_images);
    read("local_memory", info.local_memory);
    read("largest_allocation", info.largest_allocation);
    read("half", info.half);
    read("formats", device.formats);
    read("extensions", device.extensions);
    return device;
}

Json walks_json(const MeasuredWalks& walks)
{
    Json list = Json::array();
    for (std::size_t i = 0; i < walks.size(); ++i) {
        Json x = Json::array(), y = Json::array();
        for (const Texel& texel : walks.walks[i].texels) {
            x.push_back(texel.x);
            y.push_back(texel.y);
        }
        list.push_back({{"walk", walks.walks[i].number},
                        {"ns_per_read", walks.ns_per_read[i]},
                        {"x", std::move(x)},
                        {"y", std::move(y)}});
    }
    return {{"image", {walks.extent.width, walks.extent.height}},
            {"bytes_per_texel", walks.bytes_per_texel.value},
            {"walks", std::move(list)}};
}

MeasuredWalks walks_from_json(const Json& json, const std::string& where)
{
    MeasuredWalks walks;
    walks.extent = {json.at("image").at(0).get<std::int32_t>(),
                    json.at("image").at(1).get<std::int32_t>()};
    walks.bytes_per_texel = Bytes{json.at("bytes_per_texel").get<std::int64_t>()};
    for (const Json& one : json.at("walks")) {
        TexelWalk walk{one.at("walk").get<std::int64_t>(), {}};
        const auto x = one.at("x").get<std::vector<std::int32_t>>();
        const auto y = one.at("y").get<std::vector<std::int32_t>>();
        if (x.size() != y.size()) {
            throw bad_input("a walk has as many x as y", where);
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            walk.texels.push_back({x[i], y[i]});
        }
        walks.walks.push_back(std::move(walk));
        walks.ns_per_read.push_back(one.at("ns_per_read").get<double>());
    }
    return walks;
}

/// What makes a phone the same when it is given twice.
std::string digest_of(const PhoneRecord& phone)
{
    return settings_digest(to_json(phone).dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace

Json to_json(const PhoneRecord& record)
{
    Json probes = Json::array(), kernels = Json::array();
    for (const ProbeRecord& probe : record.probes) {
        probes.push_back(probes::to_json(probe));
    }
    for (const StoredResult& kernel : record.kernels) {
        kernels.push_back(phone_kernel_json(kernel));
    }
    return {{"texelscope", record.program},
            {"month", record.month},
            {"simulated", record.simulated},
            {"device", device_json(record.device)},
            {"probes", std::move(probes)},
            {"walks", record.walks ? walks_json(*record.walks) : Json()},
            {"no_walks", record.no_walks},
            {"kernels", std::move(kernels)}};
}

PhoneRecord phone_from_json(const Json& json, const std::string& where)
{
    PhoneRecord record;
    json.at("texelscope").get_to(record.program);
    json.at("month").get_to(record.month);
    json.at("simulated").get_to(record.simulated);
    record.device = device_from_json(json.at("device"));
    for (const Json& probe : json.at("probes")) {
        record.probes.push_back(record_from_json(probe, where));
    }
    if (!json.at("walks").is_null()) {
        record.walks = walks_from_json(json.at("walks"), where);
    }
    json.at("no_walks").get_to(record.no_walks);
    const ResultKey key = phone_key(json);
    for (const Json& kernel : json.at("kernels")) {
        record.kernels.push_back(phone_kernel_result(kernel, key));
    }
    return record;
}

void write_phones(const std::string& path, const std::vector<PhoneRecord>& phones)
{
    Json list = Json::array();
    for (const PhoneRecord& phone : phones) {
        list.push_back(to_json(phone));
    }
    const Json whole{{"schema", phones_schema}, {"phones", std::move(list)}};
    write_stream(path, [&](std::ostream& out) {
        out << whole.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
    });
}

std::vector<PhoneRecord> read_phones(const std::string& path)
{
    std::vector<PhoneRecord> phones;
    for_each_phone(traces::read_text(path), path,
                   [&](const Json& phone) { phones.push_back(phone_from_json(phone, path)); });
    return phones;
}

std::vector<PhoneRecord> merged_phones(const std::vector<std::string>& paths)
{
    std::vector<PhoneRecord> all;
    std::set<std::string> known;
    for (const std::string& path : paths) {
        for (PhoneRecord& phone : read_phones(path)) {
            if (known.insert(digest_of(phone)).second) {
                all.push_back(std::move(phone));
            }
        }
    }
    return all;
}

} // namespace texelscope::workbench::phones
