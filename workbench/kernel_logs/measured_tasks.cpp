#include "workbench/kernel_logs/measured_tasks.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace texelscope::workbench::kernel_logs {
namespace {

/// Whether a log has no more than one kernel of most tasks. (The public ones repeat a few.)
bool holds_best_alone(const AutotvmLog& log)
{
    std::map<std::string, int> rows;
    for (const LogRow& row : log.rows) {
        ++rows[row.task + row.arguments];
    }
    return std::ranges::all_of(rows, [](const auto& task) { return task.second <= 2; });
}

/// Which task a row belongs to.
using TaskKey = std::tuple<bool, std::string, std::string, std::string>;

/// Keeps the kernels of the clock at which more were measured.
void keep_one_clock(MeasuredTask& task, std::map<std::string, std::int64_t>& left_out)
{
    const auto at = [&](Clock clock) {
        return std::ranges::count(task.kernels, clock, &MeasuredRow::clock);
    };
    task.clock = at(Clock::slow) > at(Clock::fast) ? Clock::slow : Clock::fast;
    std::erase_if(task.kernels, [&](const MeasuredRow& kernel) {
        if (kernel.clock == task.clock) {
            return false;
        }
        ++left_out[kernel.clock == Clock::unknown ? "the clock cannot be told"
                                                  : "measured at the task's other clock"];
        return true;
    });
}

void tell_clocks(std::vector<MeasuredTask>& tasks)
{
    std::set<std::string> devices;
    for (const MeasuredTask& task : tasks) {
        devices.insert(task.device);
    }
    for (const std::string& device : devices) {
        std::vector<TimedKernel> kernels;
        std::vector<MeasuredRow*> of;
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            if (tasks[t].device != device) {
                continue;
            }
            for (MeasuredRow& one : tasks[t].kernels) {
                kernels.push_back({t, one.configuration, one.timestamp, one.ns, one.kernel.counts});
                of.push_back(&one);
            }
        }
        const std::vector<Clock> clocks = clocks_of(kernels);
        for (std::size_t i = 0; i < of.size(); ++i) {
            of[i]->clock = clocks[i];
        }
    }
}

} // namespace

std::string dtype_of(const KernelCounts& counts)
{
    return counts.bytes_per_texel > 8 ? "float32"
           : counts.half_sums         ? "float16"
                                      : "float16, sums float32";
}

MeasuredTasks measured_tasks(const LogFolder& folder)
{
    MeasuredTasks all;
    if (!folder.others.empty()) {
        all.left_out["files that are neither logs of AutoTVM nor results"] =
            std::ssize(folder.others);
    }
    std::map<TaskKey, std::size_t> places;
    for (const NamedLog& log : folder.logs) {
        const bool best = holds_best_alone(log.log);
        std::vector<MeasuredTask>& tasks = best ? all.layers : all.histories;
        all.rows += std::ssize(log.log.rows) + std::ssize(log.log.malformed);
        if (!log.log.malformed.empty()) {
            all.left_out["malformed lines"] += std::ssize(log.log.malformed);
        }
        for (const LogRow& row : log.log.rows) {
            if (row.error != MeasureError::none) {
                ++all.left_out["not measured: " + to_string(row.error)];
                continue;
            }
            ReadRow read = read_row(row);
            if (const auto* const no = std::get_if<NotUnderstood>(&read)) {
                ++all.left_out[row.task + ": " + no->reason];
                continue;
            }
            LoggedKernel& kernel = std::get<LoggedKernel>(read);
            const auto [at, fresh] = places.try_emplace(
                TaskKey{best, log.device, row.task, row.arguments}, tasks.size());
            if (fresh) {
                tasks.push_back({log.device,
                                 row.task,
                                 kernel.op,
                                 kernel.shape,
                                 kernel.padding,
                                 dtype_of(kernel.counts),
                                 {},
                                 Clock::fast});
            }
            tasks[at->second].kernels.push_back({std::move(kernel), row.configuration(),
                                                 row.mean_ns(), row.timestamp, Clock::fast});
        }
    }
    tell_clocks(all.histories);
    for (MeasuredTask& task : all.histories) {
        keep_one_clock(task, all.left_out);
    }
    return all;
}

} // namespace texelscope::workbench::kernel_logs
