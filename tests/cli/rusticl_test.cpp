// On a second implementation of OpenCL, rusticl on llvmpipe. Its event profiling makes times up: 1
// ns for every launch.

#include "tests/cli/checked_program.hpp"
#include "tests/cli/program.hpp"
#include "tests/devices/rusticl.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <set>
#include <thread>

using namespace texelscope;
using Catch::Matchers::Contains;
using nlohmann::json;
using test::json_of;
using test::operator+;
using test::rusticl;
using test::Words;

namespace {

const Words matmul_64{"--op", "matmul", "--shape", "64,64,64"};

/// What a program without --json prints.
std::string text_of(const Words& arguments)
{
    const test::ProgramResult result = test::run_program(arguments);
    CAPTURE(arguments, result.errors);
    REQUIRE(result.exit_code == 0);
    return result.output;
}

} // namespace

TEST_CASE("run takes the wall clock where the device's times cannot be, and says so", "[opencl]")
{
    for (const std::string& on : {rusticl(), "agent:" + rusticl()}) {
        const json run = json_of(Words{"run", "--on", on} + matmul_64);
        CHECK(run["check"]["passed"] == true);
        CHECK(run["wall_clock"] == true);
        // No processor does 64 operations a cycle in 5 cycles a nanosecond on each thread; 1 ns
        // would be 524,288 GFLOP/s.
        CHECK(run["gflops"] < 320.0 * std::thread::hardware_concurrency());
        CHECK(run["ns"]["samples"].get<std::set<double>>().size() > 1);
    }
    CHECK_THAT(text_of(Words{"run", "--on", rusticl()} + matmul_64),
               Contains(" over 7 samples by the wall clock; "));
    CHECK(json_of(Words{"run", "--on", "pocl"} + matmul_64)["wall_clock"] == false);
    CHECK_THAT(text_of(Words{"run", "--on", "pocl"} + matmul_64), Contains(" over 7 samples; "));
}

TEST_CASE("crosscheck, tune and the store say whose clock it was", "[opencl]")
{
    const Words crosscheck =
        Words{"crosscheck", "--device", "pocl-cpu", "--samples", "2", "--on", rusticl()} +
        matmul_64;
    const json crossed = json_of(crosscheck);
    REQUIRE(crossed["rows"].size() == 2);
    for (const json& row : crossed["rows"]) {
        CHECK(row["checked"] == true);
        CHECK(row["wall_clock"] == true);
    }
    CHECK_THAT(text_of(crosscheck), Contains("s (wall clock)  passed"));

    const test::TemporaryFolder folder;
    const std::string store = folder.file("store");
    const auto tuned = [&](const std::string& on, const std::string& budget) {
        return json_of(Words{"tune", "--strategy", "device", "--on", on, "--store", store,
                             "--budget", budget} +
                       matmul_64);
    };
    CHECK(tuned("pocl", "1")["wall_clock"] == 0);
    CHECK(tuned(rusticl(), "2")["wall_clock"] == 2);
    const json again = tuned(rusticl(), "3");
    CHECK(again["from_store"] == 2);
    CHECK(again["wall_clock"] == 3);
    const json rows = json_of({"results", "list", store})["results"];
    REQUIRE(rows.size() == 4);
    for (const json& row : rows) {
        CHECK(row["wall_clock"] ==
              (row["device"].get<std::string>().find("llvmpipe") != std::string::npos));
    }
    CHECK_THAT(text_of({"results", "list", store}), Contains("s (wall clock)  ok"));
}
