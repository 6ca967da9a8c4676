#include "experiments/kept_experiment.hpp"

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/foreign_json.hpp"
#include "base/json_nesting.hpp"
#include "workbench/plots/plot_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

namespace texelscope::experiments {
// A result as JSON and back, so that what a long run found can be put into a report later. Reading
// believes nothing: a row must have as many values as there are columns, and the plot must be one
// that can be drawn.
namespace {

using nlohmann::ordered_json;

constexpr const char* kept_schema = "texelscope.experiment-result/1";
constexpr std::array kept_verdicts{Verdict::holds, Verdict::does_not_hold, Verdict::not_tested};

ordered_json table_json(const ResultTable& table)
{
    ordered_json rows = ordered_json::array();
    for (const auto& row : table.rows) {
        ordered_json& cells = rows.emplace_back(ordered_json::array());
        for (const ResultTable::Value& value : row) {
            cells.push_back(std::visit([](const auto& one) { return ordered_json(one); }, value));
        }
    }
    return {{"columns", table.columns}, {"rows", rows}};
}

ResultTable::Value value_of_json(const ordered_json& json)
{
    if (json.is_string()) {
        return json.get<std::string>();
    }
    if (json.is_number_integer()) {
        return json.get<std::int64_t>();
    }
    // JSON has no NaN; it is written as null.
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

ResultTable table_from_json(const ordered_json& json)
{
    ResultTable table{json.at("columns").get<std::vector<std::string>>(), {}};
    for (const ordered_json& row : json.at("rows")) {
        auto& cells = table.rows.emplace_back();
        for (const ordered_json& value : row) {
            cells.push_back(value_of_json(value));
        }
        if (cells.size() != table.columns.size()) {
            throw bad_input("a row has another number of values than there are columns");
        }
    }
    return table;
}

Verdict verdict_named(const std::string& name)
{
    const auto found = std::ranges::find_if(
        kept_verdicts, [&](Verdict verdict) { return to_string(verdict) == name; });
    if (found == kept_verdicts.end()) {
        throw bad_input("there is no verdict '" + name + "'");
    }
    return *found;
}

DoneExperiment experiment_from_json(const ordered_json& json)
{
    if (json.at("schema") != kept_schema) {
        throw bad_input("another schema");
    }
    DoneExperiment done{find_experiment(json.at("experiment")), json.at("device"), {}};
    // Files of before have no such member: they were simulated, or their conditions say on what.
    if (const auto on = json.find("on"); on != json.end() && !on->is_null()) {
        done.result.measured_on = on->get<std::string>();
    }
    for (const ordered_json& condition : json.at("conditions")) {
        done.result.conditions.emplace_back(condition.at(0), condition.at(1));
    }
    for (const ordered_json& finding : json.at("findings")) {
        done.result.findings.push_back({finding.at("claim"), finding.at("paper"),
                                        finding.at("ours"), verdict_named(finding.at("verdict")),
                                        finding.at("explanation")});
    }
    done.result.table = table_from_json(json.at("table"));
    for (const ordered_json& further : json.at("further")) {
        done.result.further.push_back(
            {further.at("name"), further.at("title"), table_from_json(further.at("table"))});
    }
    done.result.plot = plot_from_json(json.at("plot"));
    (void)draw(done.result.plot); // throws where it has no panel or no range
    return done;
}

} // namespace

std::string experiment_file(const DoneExperiment& done)
{
    const ExperimentResult& result = done.result;
    ordered_json out{
        {"schema", kept_schema}, {"experiment", done.experiment.name}, {"device", done.device}};
    out["on"] = result.measured_on.empty() ? ordered_json() : ordered_json(result.measured_on);
    out["conditions"] = ordered_json::array();
    for (const auto& [name, value] : result.conditions) {
        out["conditions"].push_back({name, value});
    }
    out["findings"] = ordered_json::array();
    for (const Finding& finding : result.findings) {
        out["findings"].push_back({{"claim", finding.claim},
                                   {"paper", finding.paper},
                                   {"ours", finding.ours},
                                   {"verdict", to_string(finding.verdict)},
                                   {"explanation", finding.explanation}});
    }
    out["table"] = table_json(result.table);
    out["further"] = ordered_json::array();
    for (const ExperimentResult::FurtherTable& further : result.further) {
        out["further"].push_back({{"name", further.name},
                                  {"title", further.title},
                                  {"table", table_json(further.table)}});
    }
    out["plot"] = plot_json(result.plot);
    return out.dump(1) + "\n";
}

DoneExperiment read_experiment_file(const std::string& path)
{
    std::ifstream file(path);
    if (!file) {
        throw bad_input("the file cannot be read", path, "give a file that is there");
    }
    return parse_experiment_file(rest_of(file, path), path);
}

DoneExperiment parse_experiment_file(const std::string& text, const std::string& path)
{
    base::check_json_nesting(text, path);
    const ordered_json json = ordered_json::parse(text, nullptr, false);
    const auto refused = [&](const std::string& why) {
        return bad_input("this is no result of an experiment: " + why, path,
                         "name a NAME.json of experiment --out");
    };
    if (json.is_discarded()) {
        throw refused("it is no JSON");
    }
    try {
        return experiment_from_json(json);
    } catch (const nlohmann::json::exception& error) {
        throw refused(base::json_fault(error));
    } catch (const Error& error) {
        throw refused(error.what());
    }
}

} // namespace texelscope::experiments
