// identify --kernels: machines that agree with measured kernels, and what other commands say then.

#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const std::string measured_kernels_file =
    std::string(TEXELSCOPE_MEASUREMENTS) + "/h100-tuning.csv.zst";
const Words measured_matmul{"--op", "matmul", "--shape", "128,128,128"};

} // namespace

TEST_CASE("identify --kernels writes machines, and every command takes them with the profile")
{
    const TemporaryFolder folder;
    const Words asked{"identify",
                      "--kernels",
                      measured_kernels_file,
                      "--device",
                      "nvidia-h100",
                      "--hold-out",
                      "softmax",
                      "--kernels-of-task",
                      "1",
                      "--budget",
                      "150",
                      "--machines",
                      "8",
                      "--output",
                      folder.path()};
    const json found = json_of(asked);
    CHECK(found["schema"] == "texelscope.machines/1");
    CHECK(found["machines"].size() == 8);
    CHECK(found["held_out"]["tasks"] > 0);
    CHECK(found["held_out_nominal"]["kernels"] == found["held_out"]["kernels"]);
    CHECK(found["identified_on"]["kernels"] == found["identified_on"]["tasks"]); // one of each
    double weights = 0;
    for (const json& machine : found["machines"]) {
        CHECK(machine["values"].size() == found["values"].size());
        weights += machine["weight"].get<double>();
    }
    CHECK(weights == Approx(1));
    CHECK(json_of(asked)["machines"] == found["machines"]); // the same seed

    const std::string profile = folder.file("nvidia-h100.xml");
    const json device = json_of({"devices", profile});
    CHECK(device["over_machines"]["values"] == found["values"]);
    for (const json& value : found["values"]) {
        CAPTURE(value);
        CHECK(device["values"][value["key"].get<std::string>()]["from"] ==
              (value["told"].get<bool>() ? "identified" : "assumed"));
    }
    const Words on{"--device", profile};
    const json predicted = json_of(Words{"predict"} + measured_matmul + on);
    const json& time = predicted["over_machines"];
    CHECK(time["low_ns"] <= time["median_ns"]);
    CHECK(time["median_ns"] <= time["high_ns"]);
    CHECK(time["machines"] == 8);
    const Words of_one{"--device", "mali-g76"}; // of which nothing was measured
    CHECK_FALSE(json_of(Words{"predict"} + measured_matmul + of_one).contains("over_machines"));

    const Words tune = Words{"tune", "--strategy", "model", "--parts", "T", "--top", "3"};
    const json robust = json_of(tune + measured_matmul + on + Words{"--robust"});
    const json& rows = robust["over_machines"]["rows"];
    REQUIRE(rows.size() == 3);
    CHECK(robust["over_machines"]["candidates"] > 3);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        CHECK(rows[i - 1]["mean_loss"] <= rows[i]["mean_loss"]);
    }
    CHECK(robust["ranking"].size() == 3);
    refused(tune + measured_matmul + of_one + Words{"--robust"}, "which machines");

    const json next =
        json_of(Words{"identify", "--machines-of", profile, "--propose", "4"} + measured_matmul);
    CHECK(next["schema"] == "texelscope.next-kernels/1");
    REQUIRE(next["kernels"].size() == 4);
    for (std::size_t i = 1; i < 4; ++i) { // each tells less than the one before it
        CHECK(next["kernels"][i]["bits"] <= next["kernels"][i - 1]["bits"]);
    }
}

TEST_CASE("identify --kernels says what is missing")
{
    const TemporaryFolder folder;
    const Words kernels{"identify", "--kernels", measured_kernels_file};
    refused(kernels, "--device");
    refused(kernels + Words{"--device", "nvidia-h100", "--output", folder.path(), "--on",
                            "sim:nvidia-h100"},
            "--on");
    refused(kernels +
                Words{"--device", "nvidia-h100", "--output", folder.path(), "--free", "cores"},
            "cores");
    refused(kernels + Words{"--device", "nvidia-h100", "--output", folder.path(), "--hold-out", ""},
            "--hold-out");
    refused({"identify", "--machines-of", "nvidia-h100", "--op", "matmul", "--shape", "64,64,64"},
            "which machines");
    CHECK(std::filesystem::is_empty(folder.path()));
}
