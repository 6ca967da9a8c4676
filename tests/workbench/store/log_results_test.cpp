// Logs of AutoTVM as results, as `results import` and `crosscheck --measured` take them.

#include "base/error.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "tests/workbench/kernel_logs/log_lines.hpp"
#include "workbench/store/known_runs.hpp"
#include "workbench/store/result_files.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::codegen;
using namespace texelscope::devices;
using namespace texelscope::test;
using namespace texelscope::workbench::store;
using Catch::Matchers::Contains;

TEST_CASE("a log of AutoTVM is a file of results", "[store][kernel_logs]")
{
    const std::string text = LogLine{}.text() + "\n" +
                             LogLine{.fc = "[-1, 1, 5]", .seconds = "[0.002, 0.004]"}.text() +
                             "\n" + LogLine{.seconds = "[1e9]", .error = 7}.text() + "\n" +
                             LogLine{.dilation = "[2, 2]"}.text() + "\n";
    const std::vector<StoredResult> results = parse_result_file(text, "logs_8gen2/net.log");
    REQUIRE(results.size() == 2);
    CHECK(results[0].op == "conv2d");
    CHECK(results[0].shape == "1,22,20,24,40,3,3,1");
    CHECK(results[0].padding == "valid");
    CHECK(results[0].status == RunStatus::ok);
    CHECK(results[0].key.judge == "device");
    CHECK(results[0].key.device == find_profile("adreno-740").of);
    CHECK(results[0].timestamp == "2023-08-25T21:46:40Z");
    CHECK(results[0].median_ns() == Approx(1.5e6));
    CHECK(results[1].median_ns() == Approx(3e6));
    CHECK(results[0].key.kernel != results[1].key.kernel);

    const Operator op = parse_operator("conv2d", "1,22,20,24,40,3,3,1", "valid");
    const KnownRuns known = known_runs(results, op, find_profile("adreno-740"), "net.log");
    REQUIRE(known.rows.size() == 2);
    CHECK(known.rows[1].measured->value == Approx(3e6));
    CHECK(known.like_with_like == true);
}

TEST_CASE("a log without a kernel of ours says why", "[store][kernel_logs]")
{
    const std::string text = LogLine{.task = "conv2d_nchw_winograd.image2d"}.text();
    REQUIRE_THROWS_WITH(parse_result_file(text, "some.log"),
                        Contains("some.log") && Contains("Winograd"));
}
