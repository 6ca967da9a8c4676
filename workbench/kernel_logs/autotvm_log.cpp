#include "workbench/kernel_logs/autotvm_log.hpp"

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "base/json_nesting.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace texelscope::workbench::kernel_logs {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, measure_errors> error_names{
    "measured",       "instantiation", "compile host",  "compile device",
    "runtime device", "wrong answer",  "build timeout", "run timeout"};

bool is_number_list(const Json& value)
{
    return value.is_array() &&
           std::ranges::all_of(value, [](const Json& one) { return one.is_number_integer(); });
}

/// ["TENSOR", [1, 64, 56, 56], "float32"], or the shape alone as old templates have it.
std::optional<TensorArgument> tensor_of(const Json& argument)
{
    if (argument.is_array() && argument.size() == 3 && argument[0] == "TENSOR") {
        return TensorArgument{integers_of<std::int64_t>(argument[1]),
                              argument[2].get<std::string>()};
    }
    if (is_number_list(argument) && argument.size() == 5) {
        return TensorArgument{integers_of<std::int64_t>(argument), {}};
    }
    return std::nullopt;
}

void set_arguments(LogRow& row, const Json& arguments)
{
    for (const Json& argument : arguments) {
        if (auto tensor = tensor_of(argument)) {
            row.tensors.push_back(std::move(*tensor));
        } else if (is_number_list(argument)) {
            row.lists.push_back(integers_of<std::int64_t>(argument));
        } else if (argument.is_string()) {
            row.out_dtype = argument.get<std::string>();
        }
    }
    row.arguments = arguments.dump(-1, ' ', false, Json::error_handler_t::replace);
}

LogKnob knob_of(const Json& entity)
{
    LogKnob knob{entity.at(0).get<std::string>(), entity.at(1).get<std::string>(), {}, {}};
    const Json& value = entity.at(2);
    const Json values = value.is_array() ? value : Json::array({value});
    for (const Json& one : values) {
        if (one.is_string()) {
            knob.words.push_back(one.get<std::string>());
        } else {
            knob.numbers.push_back(integer_of<std::int64_t>(one));
        }
    }
    return knob;
}

/// Throws where the line is no row.
LogRow row_of(std::string_view line)
{
    check_json_nesting(line, "the line");
    const Json json = Json::parse(line);
    LogRow row;
    const Json& input = json.at("input");
    row.target = input.at(0).get<std::string>();
    row.task = input.at(1).get<std::string>();
    set_arguments(row, input.at(2));
    for (const Json& entity : json.at("config").at("entity")) {
        row.knobs.push_back(knob_of(entity));
    }
    const Json& result = json.at("result");
    for (const Json& seconds : result.at(0)) {
        row.seconds.push_back(seconds.get<double>());
    }
    const auto error = integer_of<std::int64_t>(result.at(1));
    if (error < 0 || error >= static_cast<std::int64_t>(measure_errors)) {
        throw bad_input("the error " + std::to_string(error) + " is not known");
    }
    row.error = static_cast<MeasureError>(error);
    const bool timed = !row.seconds.empty() && std::ranges::all_of(row.seconds, [](double s) {
        return std::isfinite(s) && s > 0;
    });
    if (row.error == MeasureError::none && !timed) {
        throw bad_input("it is said to be measured, but has no time above 0");
    }
    if (result.size() > 3 && result[3].is_number()) {
        row.timestamp = result[3].get<double>();
    }
    if (json.contains("tvm_version") && json["tvm_version"].is_string()) {
        row.tvm_version = json["tvm_version"].get<std::string>();
    }
    return row;
}

template <class Take>
void for_each_line(std::string_view text, const Take& take)
{
    std::int64_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        while (!line.empty() &&
               (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) {
            line.remove_suffix(1);
        }
        if (!line.empty() && !take(number, line)) {
            return;
        }
    }
}

Json json_of(const LogKnob& knob)
{
    Json values = Json::array();
    for (const std::int64_t number : knob.numbers) {
        values.push_back(number);
    }
    for (const std::string& word : knob.words) {
        values.push_back(word);
    }
    const bool single = knob.kind == "ot" && values.size() == 1;
    return {knob.name, knob.kind, single ? Json(values[0]) : values};
}

} // namespace

std::string to_string(MeasureError error)
{
    return error_names.at(static_cast<std::size_t>(error));
}

const LogKnob* LogRow::knob(std::string_view name) const
{
    const auto found = std::ranges::find(knobs, name, &LogKnob::name);
    return found == knobs.end() ? nullptr : &*found;
}

std::string LogRow::configuration() const
{
    Json entities = Json::array();
    for (const LogKnob& one : knobs) {
        entities.push_back(json_of(one));
    }
    return entities.dump(-1, ' ', false, Json::error_handler_t::replace);
}

double LogRow::mean_ns() const
{
    return seconds.empty() ? 0
                           : std::accumulate(seconds.begin(), seconds.end(), 0.0) * 1e9 /
                                 static_cast<double>(seconds.size());
}

AutotvmLog parse_autotvm_log(std::string_view text)
{
    AutotvmLog log;
    for_each_line(text, [&](std::int64_t number, std::string_view line) {
        try {
            LogRow row = row_of(line);
            row.line = number;
            ++log.errors.at(static_cast<std::size_t>(row.error));
            log.rows.push_back(std::move(row));
        } catch (const nlohmann::json::exception&) {
            log.malformed.push_back({number, "this is no line of AutoTVM"});
        } catch (const Error& error) {
            log.malformed.push_back({number, error.what()});
        }
        return true;
    });
    return log;
}

bool is_autotvm_log(std::string_view text)
{
    bool is = false;
    for_each_line(text, [&](std::int64_t, std::string_view line) {
        try {
            is = !row_of(line).task.empty();
        } catch (const nlohmann::json::exception&) {
            is = false;
        } catch (const Error&) {
            is = false;
        }
        return false;
    });
    return is;
}

std::string autotvm_line(const LogRow& row)
{
    Json entities = Json::array();
    for (const LogKnob& knob : row.knobs) {
        entities.push_back(json_of(knob));
    }
    Json result = Json::array({row.seconds, static_cast<int>(row.error), 0});
    if (row.timestamp != 0) {
        result.push_back(row.timestamp);
    }
    const Json line{
        {"input", Json::array({row.target, row.task, Json::parse(row.arguments), Json::object()})},
        {"config", {{"index", 0}, {"code_hash", nullptr}, {"entity", entities}}},
        {"result", result},
        {"version", 0.2},
        {"tvm_version", row.tvm_version}};
    return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace texelscope::workbench::kernel_logs
