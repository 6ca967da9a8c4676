#include "workbench/store/log_results.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/kernel_logs/log_folder.hpp"
#include "workbench/kernel_logs/measured_tasks.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace texelscope::workbench::store {
namespace {

std::string device_words(const std::string& profile)
{
    const std::vector<std::string> names = profile_names();
    if (profile.empty()) {
        return "unknown device";
    }
    const bool known = std::ranges::find(names, profile) != names.end();
    const std::string words = known ? find_profile(profile).of : "";
    return words.empty() ? profile : words;
}

/// ISO 8601 in UTC; empty where it is not known or no time at all.
std::string iso_time(double seconds)
{
    constexpr double year_9999 = 253402300799.0;
    if (!(seconds > 0) || seconds > year_9999) {
        return {};
    }
    const auto whole = static_cast<std::time_t>(std::floor(seconds));
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(whole));
}

std::string main_reason(const MeasuredTasks& tasks)
{
    const auto most = std::ranges::max_element(tasks.left_out, {},
                                               [](const auto& reason) { return reason.second; });
    return most == tasks.left_out.end() ? "it has no rows" : most->first;
}

} // namespace

std::vector<StoredResult> parse_log_results(const std::string& text, const std::string& where)
{
    LogFolder folder;
    folder.logs.push_back({where, log_device(where), parse_autotvm_log(text)});
    const MeasuredTasks tasks = measured_tasks(folder);
    const std::string device = device_words(folder.logs.front().device);
    std::vector<StoredResult> results;
    for (const std::vector<MeasuredTask>* const some : {&tasks.histories, &tasks.layers}) {
        for (const MeasuredTask& task : *some) {
            const Operator op = parse_operator(task.op, task.shape, task.padding);
            for (const MeasuredRow& kernel : task.kernels) {
                const Schedule schedule = parse_schedule(kernel.kernel.config);
                ResultKey key{kernel_digest(loop_nest(op, schedule), TexelBackend::native),
                              "device",
                              device,
                              "",
                              "AutoTVM",
                              settings_digest(kernel.configuration)};
                StoredResult result = row_of(std::move(key), op, schedule);
                result.samples_ns = {kernel.ns};
                result.timestamp = iso_time(kernel.timestamp);
                results.push_back(std::move(result));
            }
        }
    }
    if (results.empty()) {
        throw bad_input("none of its rows is a measured kernel of ours: " + main_reason(tasks),
                        where, "docs/reference/results.md says which templates are read");
    }
    return results;
}

} // namespace texelscope::workbench::store
