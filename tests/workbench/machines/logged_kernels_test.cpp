// Kernels of AutoTVM's logs as what machines are identified by.

#include "base/error.hpp"
#include "tests/workbench/kernel_logs/log_lines.hpp"
#include "workbench/kernel_logs/measured_tasks.hpp"
#include "workbench/machines/logged_kernels.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::workbench;
using Catch::Matchers::Contains;

TEST_CASE("Kernels of logs are known by task, with copies, and with their clock")
{
    // Of one task three kernels, of another, in half precision, two.
    std::vector<test::LogLine> lines;
    for (const char* const fc : {"[-1, 2, 5]", "[-1, 1, 5]", "[-1, 1, 2]"}) {
        lines.push_back({.fc = fc});
    }
    for (const char* const fc : {"[-1, 2, 5]", "[-1, 1, 5]"}) {
        lines.push_back(
            {.type = "float16", .out_type = "float32", .fc = fc, .seconds = "[0.0005]"});
    }
    std::string text;
    for (const test::LogLine& line : lines) {
        text += line.text() + "\n";
    }
    kernel_logs::LogFolder folder;
    folder.logs.push_back({"some.log", "adreno-740", kernel_logs::parse_autotvm_log(text)});
    kernel_logs::MeasuredTasks tasks = kernel_logs::measured_tasks(folder);

    const auto all = machines::measured_kernels(tasks, "adreno-740", 2, "here");
    REQUIRE(all.size() == 5);
    CHECK(all[0].task == "conv2d 1,22,20,24,40,3,3,1 float32");
    CHECK(all[4].task == "conv2d 1,22,20,24,40,3,3,1 float16, sums float32");
    CHECK(all[0].ns == Approx(1.5e6));
    CHECK(all[4].ns == Approx(0.5e6));
    CHECK(all[1].schedule == parse_schedule(tasks.histories[0].kernels[1].kernel.config));
    for (const machines::MeasuredKernel& kernel : all) {
        CHECK(kernel.copies == machines::CopiesIn::constant);
        CHECK(kernel.clock == 1);
        CHECK(to_string(kernel.op) == "conv2d 1,22,20,24,40,3,3,1 --padding valid");
    }
    CHECK(machines::measured_kernels(tasks, "adreno-740", 3, "here").size() == 3);
    tasks.histories[0].kernels[2].clock = kernel_logs::Clock::slow;
    CHECK(machines::measured_kernels(tasks, "adreno-740", 3, "here")[2].clock ==
          Approx(220.0 / 680));
    CHECK_THROWS_WITH(machines::measured_kernels(tasks, "adreno-740", 4, "here"),
                      Contains("no task of adreno-740 has 4 kernels"));
    CHECK_THROWS_WITH(machines::measured_kernels(tasks, "adreno-660", 1, "here"), Contains("here"));
}
