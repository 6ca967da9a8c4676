#include "workbench/store/t4_results.hpp"

#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/printable_text.hpp"
#include "workbench/store/stored_result.hpp"
#include "workbench/store/tuning_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace texelscope::workbench::store {
// The T4 format of the auto-tuning community. As with Kernel Tuner's files, members of ours keep
// what it has no place for.
namespace {

using Json = nlohmann::ordered_json;

/// The format's word for a status.
struct Invalidity {
    RunStatus status;
    const char* name;
};
constexpr std::array<Invalidity, 6> invalidities{{{RunStatus::ok, "correct"},
                                                  {RunStatus::unsupported, "constraints"},
                                                  {RunStatus::build_failed, "compile"},
                                                  {RunStatus::failed, "runtime"},
                                                  {RunStatus::timed_out, "timeout"},
                                                  {RunStatus::wrong_output, "correctness"}}};

RunStatus t4_status(const std::string& invalidity)
{
    const auto* const found = std::ranges::find(invalidities, invalidity, &Invalidity::name);
    if (found == invalidities.end()) {
        throw bad_input("the invalidity '" + invalidity + "' is not known");
    }
    return found->status;
}

constexpr std::array<TimeMember, 5> t4_time_members{{{"compilation_time", &ResultTimes::compile},
                                                     {"benchmark", &ResultTimes::benchmark},
                                                     {"framework", &ResultTimes::framework},
                                                     {"search_algorithm", &ResultTimes::strategy},
                                                     {"validation", &ResultTimes::verification}}};

Json measurement(const std::string& name, const Json& value, const char* unit)
{
    return {{"name", name}, {"value", value}, {"unit", unit}};
}

Json json_of(const StoredResult& result, const ParameterValues& parameters)
{
    Json configuration = Json::object();
    for (const auto& [name, value] : parameters) {
        configuration[name] = to_json(value);
    }
    Json times = Json::object();
    for (const TimeMember& member : t4_time_members) {
        put_ms(times, member.name, result.times.*member.time);
    }
    put_ms(times, "runtimes", result.samples_ns);
    Json measurements = Json::array();
    const double median = result.median_ns();
    if (result.status == RunStatus::ok && std::isfinite(median) && !result.samples_ns.empty()) {
        measurements.push_back(measurement("time", median / 1e6, "ms"));
    }
    const Json own = own_members(result);
    for (const auto& [name, value] : own.items()) {
        measurements.push_back(measurement(name, value, name.ends_with("_ns") ? "ns" : ""));
    }
    return {
        {"timestamp", result.timestamp},
        {"configuration", std::move(configuration)},
        {"objectives", Json::array({"time"})},
        {"times", std::move(times)},
        {"invalidity", std::ranges::find(invalidities, result.status, &Invalidity::status)->name},
        {"correctness", result.status == RunStatus::ok ? 1 : 0},
        {"measurements", std::move(measurements)}};
}

StoredResult result_of(const Json& one, const TuningGroup& group)
{
    StoredResult result;
    ParameterValues parameters;
    for (const auto& [name, value] : one.at("configuration").items()) {
        parameters.emplace_back(name, parameter_value(value));
    }
    Json members = Json::object();
    for (const Json& measured : one.value("measurements", Json::array())) {
        members[measured.at("name").get<std::string>()] = measured.at("value");
    }
    const Json& times = one.at("times");
    result.status = t4_status(one.at("invalidity").get<std::string>());
    if (auto samples = ns_list_of(times, "runtimes"); samples && !samples->empty()) {
        result.samples_ns = std::move(*samples);
    } else if (const auto time = ns_of(members, "time")) {
        result.samples_ns = {*time};
    }
    for (const TimeMember& member : t4_time_members) {
        result.times.*member.time = ns_of(times, member.name).value_or(0);
    }
    if (!times.contains("compilation_time")) { // as Kernel Tuner writes it
        result.times.compile = ns_of(times, "compilation").value_or(result.times.compile);
    }
    result.timestamp = normalised_timestamp(one.value("timestamp", ""));
    set_own_members(result, members, group, parameters);
    fail_without_time(result, members, times.contains("runtimes_ns"), "T4");
    return result;
}

} // namespace

std::string t4_results(const std::vector<StoredResult>& results)
{
    const TuningGroup group = common_group(results);
    const ParameterTable table = parameters_of(results);
    const Json metadata{{"timeunit", "milliseconds"}, {"texelscope", to_json(group)}};
    std::string text =
        fmt::format("{{\n\"schema_version\": \"1.0.0\",\n\"metadata\": {},\n\"results\": [",
                    one_line(metadata));
    for (std::size_t i = 0; i < results.size(); ++i) {
        text +=
            fmt::format("{}\n{}", i == 0 ? "" : ",", one_line(json_of(results[i], table.row(i))));
    }
    return text + "\n]\n}\n";
}

std::vector<StoredResult> parse_t4_results(const std::string& text, const std::string& where)
{
    std::vector<StoredResult> results;
    std::string place = where;
    try {
        const Json file = Json::parse(base::null_for_nan(text));
        const std::string version = file.at("schema_version").get<std::string>();
        if (!version.starts_with("1.")) {
            throw bad_input("its schema version is " + version, "", "only 1.x is known");
        }
        const Json metadata = file.value("metadata", Json::object());
        // Public files, of a version of Kernel Tuner, have the second word.
        const std::string unit = metadata.value("timeunit", "milliseconds");
        if (unit != "milliseconds" && unit != "miliseconds" && unit != "ms") {
            throw bad_input("its times are in '" + printable(unit) + "', not in milliseconds");
        }
        if (!metadata.contains("texelscope")) {
            throw bad_input(
                "it does not say which operator it is about", "",
                R"(add "texelscope": {"op": ..., "shape": ..., "device": ...} to its metadata)");
        }
        const TuningGroup group = group_of(metadata["texelscope"]);
        for (const Json& one : file.at("results")) {
            place = fmt::format("{}: result {}", where, results.size());
            results.push_back(result_of(one, group));
        }
    } catch (const Json::exception& error) {
        throw bad_input(
            "these are no T4 results as texelscope reads them: " + base::json_fault(error), place);
    } catch (const Error& error) {
        throw bad_input(error.what(), place);
    }
    return results;
}

} // namespace texelscope::workbench::store
