#include "workbench/store/run_results.hpp"

#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "workbench/store/tuning_json.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>

namespace texelscope::workbench::store {
// The JSON of `run` says less than a row of a store: the key is worked out from the kernel again,
// and there is neither a seed nor a time stamp.
namespace {

using Json = nlohmann::ordered_json;

/// The status as a row has it. The JSON calls a kernel that does not build failed, and gives the
/// reason.
RunStatus status_of(const std::string& word, const std::string& reason, bool output_passed)
{
    const auto status = run_status_named(word);
    if (!status || *status == RunStatus::build_failed || *status == RunStatus::wrong_output) {
        throw bad_input("'" + word + "' is no status of a run");
    }
    if (*status == RunStatus::ok) {
        return output_passed ? RunStatus::ok : RunStatus::wrong_output;
    }
    if (*status == RunStatus::failed || *status == RunStatus::crashed) {
        return reason.starts_with("the kernel does not build") ? RunStatus::build_failed
                                                               : RunStatus::failed;
    }
    return *status;
}

/// null stands for a number that is not finite.
double number(const Json& object, const char* name)
{
    return object.at(name).is_null() ? number_of("nan") : object.at(name).get<double>();
}

StoredResult result_of(const Json& run)
{
    if (!run.at("schema").get<std::string>().starts_with("texelscope.run/")) {
        throw bad_input("its schema is " + one_line(run.at("schema")), "",
                        "give what run --json printed");
    }
    StoredResult result;
    const Schedule schedule = parse_schedule(run.at("config").get<std::string>());
    const Json& check = run.at("check");
    result.op = run.at("op").get<std::string>();
    result.shape = shape_of(run.at("shape"));
    result.padding = run.value("padding", "");
    result.config = to_string(schedule);
    result.reason = run.at("reason").get<std::string>();
    result.status = status_of(run.at("status").get<std::string>(), result.reason,
                              check.at("passed").get<bool>());
    result.samples_ns = run.at("ns").at("samples").get<std::vector<double>>();
    result.wall_clock = run.value("wall_clock", false);
    if (const Json reference = run.value("reference", Json()); reference.is_object()) {
        result.reference = {reference.at("median_ns").get<double>(),
                            reference.at("spread").get<double>()};
    }
    result.check = {result.status == RunStatus::ok, number(check, "max_abs"),
                    number(check, "max_rel"), number(check, "tolerance")};
    const LoopNest nest =
        loop_nest(parse_operator(result.op, result.shape, result.padding), schedule);
    result.key = {kernel_digest(nest, parse_texel_backend(run.value(
                                          "texel_reads", to_string(TexelBackend::native)))),
                  "device",
                  run.at("device").get<std::string>(),
                  run.value("driver", ""),
                  run.value("texelscope", ""),
                  settings_digest("")};
    return result;
}

} // namespace

std::vector<StoredResult> parse_run_results(const std::string& text, const std::string& where)
{
    std::vector<StoredResult> results;
    std::string place = where;
    try {
        if (const Json whole = Json::parse(text, nullptr, false); !whole.is_discarded()) {
            return {result_of(whole)};
        }
        std::istringstream lines(text);
        std::string line;
        for (int number = 1; std::getline(lines, line); ++number) {
            place = fmt::format("{}:{}", where, number);
            if (line.find_first_not_of(" \t\r") != std::string::npos) {
                results.push_back(result_of(Json::parse(line)));
            }
        }
    } catch (const Json::exception& error) {
        throw bad_input("this is no result of run --json: " + base::json_fault(error), place);
    } catch (const Error& error) {
        throw bad_input(error.what(), place);
    }
    return results;
}

} // namespace texelscope::workbench::store
