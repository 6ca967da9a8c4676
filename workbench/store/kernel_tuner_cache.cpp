#include "workbench/store/kernel_tuner_cache.hpp"

#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "workbench/store/tuning_json.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

namespace texelscope::workbench::store {
// Files of Kernel Tuner: its own members come first, so that it can replay and continue them; what
// it has no place for stands in members of ours, so that nothing is lost on the way back.
namespace {

using Json = nlohmann::ordered_json;

const char* error_of(RunStatus status)
{
    switch (status) {
    case RunStatus::ok:
        return nullptr;
    case RunStatus::unsupported:
        return "InvalidConfig";
    case RunStatus::build_failed:
        return "CompilationFailedConfig";
    case RunStatus::failed:
    case RunStatus::timed_out:
    case RunStatus::crashed:
    case RunStatus::wrong_output:
        break;
    }
    return "RuntimeFailedConfig";
}

constexpr std::array<TimeMember, 5> time_members{{{"compile_time", &ResultTimes::compile},
                                                  {"verification_time", &ResultTimes::verification},
                                                  {"benchmark_time", &ResultTimes::benchmark},
                                                  {"strategy_time", &ResultTimes::strategy},
                                                  {"framework_time", &ResultTimes::framework}}};

Json entry_of(const StoredResult& result, const ParameterValues& parameters)
{
    Json entry;
    for (const auto& [name, value] : parameters) {
        entry[name] = to_json(value);
    }
    const double median = result.median_ns();
    if (const char* const error = error_of(result.status)) {
        entry["__error__"] = error;
    } else if (std::isfinite(median) && !result.samples_ns.empty()) {
        entry["time"] = median / 1e6;
    } else { // Kernel Tuner expects a time of everything that is right
        entry["__error__"] = error_of(RunStatus::failed);
    }
    put_ms(entry, "times", result.samples_ns);
    for (const TimeMember& member : time_members) {
        put_ms(entry, member.name, result.times.*member.time);
    }
    entry["timestamp"] = result.timestamp;
    entry.update(own_members(result));
    return entry;
}

/// The status that an entry's error stands for. Caches of older versions have the error in place of
/// the time.
std::optional<RunStatus> error_status(const Json& entry)
{
    for (const char* const member : {"__error__", "time"}) {
        if (!entry.contains(member) || !entry[member].is_string()) {
            continue;
        }
        const std::string error = entry[member].get<std::string>();
        return error == "InvalidConfig"             ? RunStatus::unsupported
               : error == "CompilationFailedConfig" ? RunStatus::build_failed
                                                    : RunStatus::failed;
    }
    return std::nullopt;
}

StoredResult result_of(const Json& entry, const std::vector<std::string>& names,
                       const TuningGroup& group)
{
    StoredResult result;
    ParameterValues parameters;
    for (const std::string& name : names) {
        parameters.emplace_back(name, parameter_value(entry.at(name)));
    }
    if (const auto status = error_status(entry)) {
        result.status = *status;
        result.reason = "Kernel Tuner: " + std::string(error_of(*status));
    }
    if (auto samples = ns_list_of(entry, "times"); samples && !samples->empty()) {
        result.samples_ns = std::move(*samples);
    } else if (const auto time = ns_of(entry, "time"); time) {
        result.samples_ns = {*time};
    }
    for (const TimeMember& member : time_members) {
        result.times.*member.time = ns_of(entry, member.name).value_or(0);
    }
    result.timestamp = normalised_timestamp(entry.value("timestamp", ""));
    const std::string foreign_reason = result.reason;
    set_own_members(result, entry, group, parameters);
    if (!entry.contains("reason")) {
        result.reason = foreign_reason;
    }
    fail_without_time(result, entry, entry.contains("times_ns") || entry.contains("time_ns"),
                      "Kernel Tuner");
    return result;
}

/// The JSON of a cache. One that Kernel Tuner could not close, because it was stopped, ends behind
/// an entry; its brackets are closed here.
Json parsed(const std::string& text, const std::string& where)
{
    const std::string plain = base::null_for_nan(text);
    Json file = Json::parse(plain, nullptr, false);
    if (file.is_discarded()) {
        const auto last = plain.find_last_not_of(" \t\r\n");
        std::string closed = plain.substr(0, last == std::string::npos ? 0 : last + 1);
        if (closed.ends_with(',')) {
            closed.pop_back();
        }
        file = Json::parse(closed + "}\n}", nullptr, false);
    }
    if (!file.is_object() || !file.contains("cache") || !file["cache"].is_object()) {
        throw bad_input("this is no cache of Kernel Tuner", where,
                        "give a file that Kernel Tuner or --kernel-tuner wrote");
    }
    return file;
}

} // namespace

std::string kernel_tuner_cache(const std::vector<StoredResult>& results)
{
    const TuningGroup group = common_group(results);
    const ParameterTable table = parameters_of(results);
    Json values;
    for (std::size_t i = 0; i < table.names.size(); ++i) {
        values[table.names[i]] = Json::array();
        for (const ParameterValue& value : table.values(i)) {
            values[table.names[i]].push_back(to_json(value));
        }
    }
    // One member and one entry on each line, and exactly the end by which Kernel Tuner knows that
    // the cache was closed.
    std::string text = "{\n";
    const auto add = [&](const char* name, const Json& value) {
        text += fmt::format("\"{}\": {},\n", name, one_line(value));
    };
    add("device_name", group.key.device);
    add("kernel_name", group.op);
    add("problem_size", shape_json(group.shape));
    add("tune_params_keys", table.names);
    add("tune_params", values);
    add("objective", {"time"});
    add("texelscope", to_json(group));
    text += "\"cache\": {";
    for (std::size_t i = 0; i < results.size(); ++i) {
        std::string key;
        for (const ParameterValue& value : table.rows[i]) {
            key += (key.empty() ? "" : ",") + space::to_string(value);
        }
        text += fmt::format("{}\n{}: {}", i == 0 ? "" : ",", one_line(key),
                            one_line(entry_of(results[i], table.row(i))));
    }
    return text + "}\n}";
}

std::vector<StoredResult> parse_kernel_tuner_cache(const std::string& text,
                                                   const std::string& where)
{
    std::vector<StoredResult> results;
    std::string place = where;
    try {
        const Json file = parsed(text, where);
        TuningGroup group = group_of(file.value("texelscope", Json::object()));
        if (!file.contains("texelscope")) {
            group.op = file.at("kernel_name").get<std::string>();
            group.shape = shape_of(file.at("problem_size"));
            group.key.device = file.at("device_name").get<std::string>();
        }
        const auto names = file.at("tune_params_keys").get<std::vector<std::string>>();
        for (const auto& [key, entry] : file["cache"].items()) {
            place = where + ": entry '" + key + "'";
            results.push_back(result_of(entry, names, group));
        }
    } catch (const Json::exception& error) {
        throw bad_input("this is no cache of Kernel Tuner as texelscope reads it: " +
                            base::json_fault(error),
                        place);
        // The reason names the place already.
    } catch (const Error& error) {
        if (std::string(error.what()).starts_with(where)) {
            throw;
        }
        throw bad_input(error.what(), place);
    }
    return results;
}

} // namespace texelscope::workbench::store
