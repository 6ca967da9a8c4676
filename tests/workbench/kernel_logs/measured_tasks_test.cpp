// Tasks out of logs: histories and best kernels, one clock of each, everything else counted.

#include "tests/workbench/kernel_logs/log_lines.hpp"
#include "workbench/kernel_logs/measured_tasks.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::workbench::kernel_logs;
using namespace texelscope::test;

namespace {

NamedLog log_of(const std::string& device, const std::vector<LogLine>& lines)
{
    std::string text;
    for (const LogLine& line : lines) {
        text += line.text() + "\n";
    }
    return {"some.log", device, parse_autotvm_log(text)};
}

} // namespace

TEST_CASE("kernel logs: histories and best kernels are kept apart, by device and task",
          "[kernel_logs]")
{
    const LogLine other{.weights = "[48, 24, 3, 3]", .type = "float16", .out_type = "float32"};
    LogFolder folder;
    folder.logs.push_back(log_of("adreno-740", {{}, {.fc = "[-1, 1, 5]"}, {.fc = "[-1, 1, 2]"}}));
    folder.logs.push_back(log_of("adreno-740", {{.fc = "[-1, 5, 2]"}, {}, {}, other}));
    folder.logs.push_back(log_of("adreno-660", {{}, other}));
    const MeasuredTasks tasks = measured_tasks(folder);
    REQUIRE(tasks.histories.size() == 2); // the second log has three kernels of a task, too
    CHECK(tasks.histories[0].kernels.size() == 6);
    CHECK(tasks.histories[1].kernels.size() == 1);
    CHECK(tasks.histories[1].dtype == "float16, sums float32");
    REQUIRE(tasks.layers.size() == 2);
    CHECK(tasks.layers[0].device == "adreno-660");
    CHECK(tasks.layers[0].shape == "1,22,20,24,40,3,3,1");
    CHECK(tasks.layers[1].dtype == "float16, sums float32");
    CHECK(tasks.left_out.empty());
    CHECK(tasks.rows == 9);
}

TEST_CASE("kernel logs: of a task with two clocks one is kept, and no row is lost", "[kernel_logs]")
{
    // 120 kernels, the same five over and over; 80 at the fast clock, then 40 at the slow one.
    std::vector<LogLine> lines;
    for (int i = 0; i < 120; ++i) {
        const int group = 1 + i % 5;
        const double seconds = 0.001 * (1 + 0.2 * group) * (i < 80 ? 1 : 3) * (1 + 0.001 * (i % 7));
        lines.push_back({.x = fmt::format("[-1, 1, {}]", group),
                         .seconds = fmt::format("[{}]", seconds),
                         .timestamp = 1693000000 + 10.0 * i});
    }
    LogFolder folder;
    folder.logs.push_back(log_of("adreno-740", lines));
    const MeasuredTasks tasks = measured_tasks(folder);
    REQUIRE(tasks.histories.size() == 1);
    CHECK(tasks.histories[0].clock == Clock::fast);
    CHECK(tasks.histories[0].kernels.size() == 80);
    CHECK(tasks.left_out.at("measured at the task's other clock") == 40);
}
