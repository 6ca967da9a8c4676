// Records of probes as JSON: status and reason, findings with their intervals, notes, what was
// given, and the curves with every sample, from which plots are drawn.

#include "workbench/probes/probe_record.hpp"

#include "base/error.hpp"
#include "base/json_integer.hpp"

#include <array>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

using nlohmann::ordered_json;

constexpr std::array status_words{std::pair{ProbeRecord::Status::done, "done"},
                                  std::pair{ProbeRecord::Status::failed, "failed"},
                                  std::pair{ProbeRecord::Status::skipped, "skipped"}};

ordered_json to_json(const ProbeCurve& curve)
{
    ordered_json points = ordered_json::array();
    for (const ProbePoint& point : curve.points) {
        points.push_back({{"x", point.x}, {"samples", point.samples}});
    }
    ordered_json marks = ordered_json::array();
    for (const ProbeMark& mark : curve.marks) {
        marks.push_back(
            {{"x", mark.x}, {"low", mark.low}, {"high", mark.high}, {"label", mark.label}});
    }
    return {{"name", curve.name},    {"x_label", curve.x_label}, {"y_label", curve.y_label},
            {"log_x", curve.log_x},  {"points", points},         {"marks", marks},
            {"family", curve.family}};
}

ProbeCurve curve_from(const ordered_json& json)
{
    ProbeCurve curve{
        json.at("name"),         json.at("x_label"), json.at("y_label"), json.at("log_x"), {}, {},
        json.value("family", "")};
    for (const auto& point : json.at("points")) {
        curve.points.push_back({point.at("x"), point.at("samples").get<std::vector<double>>()});
    }
    for (const auto& mark : json.at("marks")) {
        curve.marks.push_back({mark.at("x"), mark.at("low"), mark.at("high"), mark.at("label")});
    }
    return curve;
}

} // namespace

std::string to_string(ProbeRecord::Status status)
{
    for (const auto& [known, name] : status_words) {
        if (known == status) {
            return name;
        }
    }
    return "";
}

ordered_json to_json(const ProbeRecord& record)
{
    ordered_json findings = ordered_json::array();
    for (const ProbeFinding& finding : record.result.findings) {
        ordered_json one{{"key", finding.key}, {"value", finding.value}, {"unit", finding.unit}};
        if (finding.interval) {
            one["interval"] = {finding.interval->first, finding.interval->second};
        }
        one["how"] = finding.how;
        findings.push_back(std::move(one));
    }
    ordered_json curves = ordered_json::array();
    for (const ProbeCurve& curve : record.result.curves) {
        curves.push_back(to_json(curve));
    }
    return {{"name", record.name},          {"status", to_string(record.status)},
            {"reason", record.reason},      {"seconds", record.seconds},
            {"findings", findings},         {"notes", record.result.notes},
            {"given", record.result.given}, {"curves", curves}};
}

ProbeRecord record_from_json(const ordered_json& json, const std::string& where)
{
    try {
        ProbeRecord record;
        record.name = json.at("name");
        const std::string status = json.at("status");
        for (const auto& [known, name] : status_words) {
            record.status = status == name ? known : record.status;
        }
        record.reason = json.at("reason");
        record.seconds = json.at("seconds");
        for (const auto& finding : json.at("findings")) {
            ProbeFinding one{finding.at("key"), finding.at("value"), finding.at("unit"),
                             finding.at("how")};
            if (finding.contains("interval")) {
                one.interval = {finding.at("interval").at(0).get<double>(),
                                finding.at("interval").at(1).get<double>()};
            }
            record.result.findings.push_back(std::move(one));
        }
        record.result.notes = json.at("notes").get<std::vector<std::string>>();
        if (json.contains("given")) { // versions before did not write it
            record.result.given = json.at("given").get<std::map<std::string, double>>();
        }
        for (const auto& curve : json.at("curves")) {
            record.result.curves.push_back(curve_from(curve));
        }
        return record;
    } catch (const nlohmann::json::exception&) {
        throw bad_input("this is no record of a probe", where, "remove the file to measure again");
    }
}

ordered_json to_json(const TargetInfo& info)
{
    return {{"name", info.name},
            {"driver", info.driver},
            {"simulated", info.simulated},
            {"cpu", info.cpu},
            {"compute_units", info.compute_units},
            {"max_work_group", info.max_work_group},
            {"image_width", info.largest_image.width},
            {"image_height", info.largest_image.height},
            {"local_memory", info.local_memory},
            {"largest_allocation", info.largest_allocation},
            {"clock_mhz", info.clock_mhz}};
}

TargetInfo info_from_json(const ordered_json& json)
{
    TargetInfo info;
    info.name = json.at("name");
    info.driver = json.at("driver");
    info.simulated = json.at("simulated");
    info.cpu = json.at("cpu");
    info.compute_units = integer_of<int>(json.at("compute_units"));
    info.max_work_group = integer_of<std::int64_t>(json.at("max_work_group"));
    info.largest_image = {integer_of<std::int32_t>(json.at("image_width")),
                          integer_of<std::int32_t>(json.at("image_height"))};
    info.local_memory = integer_of<std::int64_t>(json.at("local_memory"));
    if (json.contains("largest_allocation")) { // records may be older
        info.largest_allocation = integer_of<std::int64_t>(json.at("largest_allocation"));
    }
    info.clock_mhz = json.at("clock_mhz");
    return info;
}

} // namespace texelscope::workbench::probes
