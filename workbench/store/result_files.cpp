#include "workbench/store/result_files.hpp"

#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/json_nesting.hpp"
#include "traces/native/file_stream.hpp"
#include "workbench/kernel_logs/autotvm_log.hpp"
#include "workbench/store/kernel_tuner_cache.hpp"
#include "workbench/store/log_results.hpp"
#include "workbench/store/phone_results.hpp"
#include "workbench/store/results_csv.hpp"
#include "workbench/store/run_results.hpp"
#include "workbench/store/t4_results.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace texelscope::workbench::store {
std::vector<StoredResult> parse_result_file(const std::string& text, const std::string& where)
{
    if (is_results_csv(text)) {
        return parse_results_csv(text, where);
    }
    if (is_autotvm_log(text)) {
        return parse_log_results(text, where);
    }
    base::check_json_nesting(text, where);
    // The members of the outermost object decide the format. Values are dropped while parsing,
    // since only the names matter here, and a file may be large.
    std::set<std::string> members;
    [[maybe_unused]] const nlohmann::json dropped = nlohmann::json::parse(
        base::null_for_nan(text),
        [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
            if (depth == 1 && event == nlohmann::json::parse_event_t::key) {
                members.insert(parsed.get<std::string>());
            }
            return depth == 0;
        },
        false);
    if (members.contains("cache") && members.contains("tune_params_keys")) {
        return parse_kernel_tuner_cache(text, where);
    }
    if (members.contains("schema_version") && members.contains("results")) {
        return parse_t4_results(text, where);
    }
    if (members.contains("phones")) {
        return parse_phone_results(text, where);
    }
    if (members.contains("schema")) {
        return parse_run_results(text, where);
    }
    throw bad_input(
        "this holds no results", where,
        "give a cache of Kernel Tuner, T4 results, a log of AutoTVM, or what results export "
        "--csv, run --json or phone wrote");
}

std::vector<StoredResult> read_results(const std::string& path)
{
    return parse_result_file(traces::read_text(path), path);
}

} // namespace texelscope::workbench::store
