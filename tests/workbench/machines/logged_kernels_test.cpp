// Kernels of AutoTVM's logs as what machines are identified by.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/operators/operator.hpp"
#include "sim/options/machine.hpp"
#include "tests/workbench/kernel_logs/log_lines.hpp"
#include "workbench/kernel_logs/measured_tasks.hpp"
#include "workbench/machines/image_copies.hpp"
#include "workbench/machines/logged_kernels.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::workbench;
using namespace texelscope::codegen;
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

TEST_CASE("The best kernels of layers are one task, whose copies are foretold")
{
    std::string text;
    for (const char* const data : {"[1, 24, 20, 18]", "[1, 24, 10, 18]", "[1, 24, 30, 18]"}) {
        text += test::LogLine{.data = data}.text() + "\n";
    }
    kernel_logs::LogFolder folder;
    folder.logs.push_back({"net.log", "adreno-740", kernel_logs::parse_autotvm_log(text)});
    const auto tasks = kernel_logs::measured_tasks(folder);
    REQUIRE(tasks.layers.size() == 3);
    const auto kernels = machines::measured_kernels(tasks, "adreno-740", 3, "here");
    REQUIRE(kernels.size() == 3);
    for (const machines::MeasuredKernel& kernel : kernels) {
        CHECK(kernel.task == "layers conv2d float32");
        CHECK(kernel.copies == machines::CopiesIn::foretold);
    }
    CHECK_THROWS_AS(machines::measured_kernels(tasks, "adreno-740", 4, "here"), base::Error);
}

TEST_CASE("Copies read and write each image of a kernel once, in a launch each")
{
    const Operator op = parse_operator("matmul", "64,32,16");
    sim::Timing timing;
    timing.clock_mhz = 500;
    timing.memory_bytes_per_cycle = 8; // 4 B a nanosecond
    timing.launch_ns = 1000;
    // A is 64x16 numbers and B 16x32: 4096 and 2048 bytes, each read and written.
    const auto ns = [&](const char* schedule) {
        return machines::copies_ns(machines::image_copies(loop_nest(op, parse_schedule(schedule))),
                                   timing);
    };
    CHECK(ns("A=row,row;T=4x4;G=4x4x1") == Approx(2 * 1000 + 2 * (4096 + 2048) / 4.0));
    CHECK(ns("A=row,row;T=4x4;G=4x4x1;M=image,buffer,image") == Approx(1000 + 2 * 4096 / 4.0));
    CHECK(ns("A=row,row;T=4x4;G=4x4x1;M=buffer,buffer,image") == 0);
}
