// The public logs, where they lie beside the project: counts, and clocks of sessions that are known
// from repeats and from GFLOP/s. Skipped where they are not there.

#include "workbench/kernel_logs/measured_tasks.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <map>
#include <numeric>

using namespace texelscope::workbench::kernel_logs;

namespace {

const std::string public_logs = TEXELSCOPE_SOURCE "/../shared/data/phones";

/// Kernels of a device's logs whose rows are kernels of ours.
std::vector<TimedKernel> timed_kernels(const LogFolder& folder, const std::string& device)
{
    std::vector<TimedKernel> kernels;
    std::map<std::string, std::size_t> tasks;
    for (const NamedLog& log : folder.logs) {
        for (const LogRow& row : log.log.rows) {
            const ReadRow read = read_row(row);
            const auto* const kernel = std::get_if<LoggedKernel>(&read);
            if (log.device == device && kernel != nullptr && row.error == MeasureError::none) {
                const auto task = tasks.try_emplace(row.task + row.arguments, tasks.size()).first;
                kernels.push_back({task->second, row.configuration(), row.timestamp, row.mean_ns(),
                                   kernel->counts});
            }
        }
    }
    return kernels;
}

/// How many kernels between two times have each clock.
std::map<Clock, int> clocks_between(const std::vector<TimedKernel>& kernels,
                                    const std::vector<Clock>& clocks, double from, double until)
{
    std::map<Clock, int> counts;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (kernels[i].timestamp >= from && kernels[i].timestamp < until) {
            ++counts[clocks[i]];
        }
    }
    return counts;
}

} // namespace

TEST_CASE("kernel logs: nothing of the public logs is lost", "[kernel_logs]")
{
    if (!std::filesystem::is_directory(public_logs)) {
        WARN("skipped: there are no public logs in " << public_logs);
        return;
    }
    const LogFolder folder = read_logs(public_logs);
    const MeasuredTasks tasks = measured_tasks(folder);
    std::int64_t kept = 0, left_out = 0;
    for (const std::vector<MeasuredTask>* const some : {&tasks.histories, &tasks.layers}) {
        for (const MeasuredTask& task : *some) {
            kept += std::ssize(task.kernels);
        }
    }
    for (const auto& [reason, rows] : tasks.left_out) {
        left_out += rows;
    }
    CHECK(kept + left_out == tasks.rows + std::ssize(folder.others));
    CHECK(tasks.left_out.count("malformed lines") == 0);
    CHECK(kept > 4500);
    CHECK(tasks.histories.size() == 8);
}

TEST_CASE("kernel logs: clocks of the public logs are those that repeats tell", "[kernel_logs]")
{
    if (!std::filesystem::is_directory(public_logs)) {
        WARN("skipped: there are no public logs in " << public_logs);
        return;
    }
    const std::vector<TimedKernel> kernels =
        timed_kernels(read_logs(public_logs + "/histories"), "adreno-740");
    const std::vector<Clock> clocks = clocks_of(kernels);
    struct Session {
        double from, until;
        Clock clock;
    };
    const double day = 1693353600; // 2023-08-30 00:00 UTC
    const auto at = [&](int days, int hour, int minute) {
        return day + 86400.0 * days + 3600.0 * hour + 60.0 * minute;
    };
    for (const Session& session : {Session{at(0, 1, 5), at(0, 6, 0), Clock::fast},
                                   Session{at(0, 20, 10), at(0, 21, 30), Clock::slow},
                                   Session{at(0, 21, 35), at(0, 21, 48), Clock::slow},
                                   Session{at(0, 21, 49), at(0, 22, 50), Clock::slow},
                                   Session{at(1, 21, 10), at(1, 23, 59), Clock::fast},
                                   Session{at(8, 17, 0), at(8, 19, 0), Clock::fast}}) {
        std::map<Clock, int> counts = clocks_between(kernels, clocks, session.from, session.until);
        const int all = counts[Clock::fast] + counts[Clock::slow] + counts[Clock::unknown];
        INFO("session from " << session.from);
        CHECK(all >= 200);
        CHECK(counts[session.clock] >= 0.98 * all);
    }
    // Repeats are at one clock where they take as long, and at two where they do not.
    std::map<std::pair<std::size_t, std::string>, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        alike[{kernels[i].task, kernels[i].configuration}].push_back(i);
    }
    int right = 0, wrong = 0;
    for (const auto& [kernel, places] : alike) {
        for (std::size_t a = 0; a < places.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                const double ratio = kernels[places[a]].ns / kernels[places[b]].ns;
                const bool differ = ratio > 1.7 || ratio < 1 / 1.7;
                const Clock one = clocks[places[a]], other = clocks[places[b]];
                if (one != Clock::unknown && other != Clock::unknown) {
                    ++((one != other) == differ ? right : wrong);
                }
            }
        }
    }
    CHECK(right >= 15);
    CHECK(wrong == 0);
}
