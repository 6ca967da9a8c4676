#include "workbench/store/phone_results.hpp"

#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/json_nesting.hpp"
#include "workbench/store/result_clocks.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::workbench::store {

using Json = nlohmann::ordered_json;

Json phone_kernel_json(const StoredResult& result)
{
    Json json{{"op", result.op},
              {"shape", result.shape},
              {"padding", result.padding},
              {"config", result.config},
              {"kernel", result.key.kernel},
              {"status", to_string(result.status)},
              {"reason", result.reason},
              {"samples_ns", result.samples_ns},
              {"wall_clock", result.wall_clock},
              {"reference_ns", result.reference.median_ns},
              {"reference_spread", result.reference.spread}};
    // Numbers of a wrong output may be none; JSON has no such.
    const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
    json["max_rel"] = number(result.check.max_rel);
    json["tolerance"] = number(result.check.tolerance);
    return json;
}

StoredResult phone_kernel_result(const Json& json, ResultKey key)
{
    StoredResult result;
    result.key = std::move(key);
    result.key.kernel = json.at("kernel").get<std::string>();
    result.op = json.at("op").get<std::string>();
    result.shape = json.at("shape").get<std::string>();
    result.padding = json.at("padding").get<std::string>();
    result.config = to_string(parse_schedule(json.at("config").get<std::string>()));
    result.status = parse_result_status(json.at("status").get<std::string>());
    result.reason = json.at("reason").get<std::string>();
    result.samples_ns = json.at("samples_ns").get<std::vector<double>>();
    result.wall_clock = json.at("wall_clock").get<bool>();
    result.reference = {json.at("reference_ns").get<double>(),
                        json.at("reference_spread").get<double>()};
    const auto number = [&](const char* name) {
        return json.at(name).is_null() ? std::nan("") : json.at(name).get<double>();
    };
    result.check.max_rel = number("max_rel");
    result.check.tolerance = number("tolerance");
    result.check.passed = result.status == RunStatus::ok;
    const bool times = std::ranges::all_of(result.samples_ns,
                                           [](double ns) { return std::isfinite(ns) && ns > 0; });
    if (!times || (result.check.passed && result.samples_ns.empty())) {
        throw bad_input("its samples are no times", result.config);
    }
    return result;
}

ResultKey phone_key(const Json& phone)
{
    const Json& device = phone.at("device");
    return {{},
            "device",
            device.at("name").get<std::string>(),
            device.at("driver").get<std::string>(),
            phone.at("texelscope").get<std::string>(),
            settings_digest("phone " + phone.at("kernels").dump(-1, ' ', false,
                                                                Json::error_handler_t::replace))};
}

void for_each_phone(const std::string& text, const std::string& where,
                    const std::function<void(const Json& phone)>& visit)
{
    base::check_json_nesting(text, where);
    try {
        const Json collection = Json::parse(text);
        if (collection.at("schema") != phones_schema) {
            throw bad_input("its schema is " + collection.at("schema").dump(), where,
                            std::string("this program reads ") + phones_schema);
        }
        for (const Json& phone : collection.at("phones")) {
            visit(phone);
        }
    } catch (const Json::exception& error) {
        throw bad_input("this is no collection of phones: " + base::json_fault(error), where,
                        "give what texelscope phone wrote");
    }
}

std::vector<StoredResult> parse_phone_results(const std::string& text, const std::string& where)
{
    std::vector<StoredResult> all;
    for_each_phone(text, where, [&](const Json& phone) {
        const ResultKey key = phone_key(phone);
        std::vector<StoredResult> kernels;
        for (const Json& kernel : phone.at("kernels")) {
            kernels.push_back(phone_kernel_result(kernel, key));
        }
        const std::vector<StoredResult> best = at_highest_clock(kernels);
        all.insert(all.end(), best.begin(), best.end());
    });
    return all;
}

} // namespace texelscope::workbench::store
