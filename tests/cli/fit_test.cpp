// --fit of crosscheck and tune, and whether crosscheck compares like with like.

#include "devices/profile/device_profile.hpp"
#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>

using namespace texelscope::test;
using namespace texelscope::devices;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using nlohmann::json;

namespace {

const Words fit_matmul{"--op", "matmul", "--shape", "32,32,32"};

Words crosscheck(const Words& more)
{
    return Words{"crosscheck"} + fit_matmul + Words{"--samples", "3"} + more;
}

std::string first_line(const Words& words)
{
    const ProgramResult result = run_program(words);
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    return result.output.substr(0, result.output.find('\n'));
}

} // namespace

TEST_CASE(
    "A fit measures what the device at hand costs, once, and crosscheck and tune take that profile",
    "[opencl]")
{
    const TemporaryFolder folder;
    const std::string file = folder.file("fitted.xml");
    const Words on_pocl{"--device", "pocl-cpu", "--on", "pocl", "--fit", file};
    const ProgramResult first = run_program(crosscheck(on_pocl) + Words{"--json"});
    INFO(first.errors);
    REQUIRE(first.exit_code == 0);
    CHECK_THAT(first.errors,
               Contains("kernels were measured on") && Contains("profile written to " + file));
    const json crossed = json::parse(first.output);
    CHECK(crossed["like_with_like"] == true);
    CHECK(crossed["note"].is_null());
    CHECK(crossed["device"] == "pocl-cpu");

    const DeviceProfile fitted = read_profile(file);
    const DeviceProfile given = find_profile("pocl-cpu");
    CHECK(crossed["on"] == fitted.of);
    CHECK_FALSE(fitted.simulation == given.simulation);
    int measured = 0; // values that came from these runs
    for (const auto& [key, value] : fitted.values) {
        const auto before = given.values.find(key);
        const bool same = before != given.values.end() && before->second == value;
        measured += !same && value.source.find(fitted.of) != std::string::npos ? 1 : 0;
    }
    CHECK(measured >= 3);

    // The file is used as it is from then on, in what the judges say as well.
    const std::string text = read_file(file);
    const json direct = json_of(crosscheck({"--device", file, "--on", "none"}));
    const ProgramResult again = run_program(crosscheck(on_pocl) + Words{"--json"});
    REQUIRE(again.exit_code == 0);
    CHECK_THAT(again.errors, !Contains("measured on"));
    CHECK(read_file(file) == text);
    const json second = json::parse(again.output);
    REQUIRE(second["rows"].size() == direct["rows"].size());
    for (std::size_t i = 0; i < direct["rows"].size(); ++i) {
        for (const char* key : {"config", "predicted_ns", "simulated_ns"}) {
            CHECK(second["rows"][i][key] == direct["rows"][i][key]);
        }
    }
    const ProgramResult tuned =
        run_program(Words{"tune"} + fit_matmul + on_pocl +
                    Words{"--strategy", "random", "--budget", "2", "--json"});
    INFO(tuned.errors);
    REQUIRE(tuned.exit_code == 0);
    CHECK_THAT(tuned.errors, !Contains("measured on"));
    CHECK(json::parse(tuned.output)["judge"] == "device");
    CHECK(json::parse(tuned.output)["evaluated"] == 2);
    CHECK(read_file(file) == text);

    // A file of another device is not used.
    const std::string other = folder.file("other.xml");
    std::ofstream(other) << to_xml(find_profile("nvidia-h100"));
    refused(crosscheck({"--on", "pocl", "--fit", other}), "it was not fitted to");
    // tune writes one, too.
    const std::string by_tune = folder.file("by-tune.xml");
    const ProgramResult writes =
        run_program(Words{"tune"} + fit_matmul +
                    Words{"--device", "pocl-cpu", "--on", "pocl", "--fit", by_tune, "--strategy",
                          "random", "--budget", "1"});
    INFO(writes.errors);
    CHECK(writes.exit_code == 0);
    CHECK(read_profile(by_tune).of == fitted.of);
}

TEST_CASE("A fit without a device to measure is refused")
{
    const TemporaryFolder folder;
    const std::string file = folder.file("fitted.xml");
    refused(crosscheck({"--on", "none", "--fit", file}), "there is no device to measure");
    refused(Words{"tune"} + fit_matmul + Words{"--fit", file}, "there is no device to measure");
    CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("crosscheck begins with a line where the profile and the device are not the same",
          "[opencl]")
{
    CHECK_THAT(
        first_line(crosscheck({"--device", "adreno-740", "--on", "pocl"})),
        StartsWith("not like with like: model and simulator describe adreno-740, the device is "));
    const json unlike = json_of(crosscheck({"--device", "adreno-740", "--on", "pocl"}));
    CHECK(unlike["like_with_like"] == false);
    CHECK_THAT(unlike["note"].get<std::string>(), StartsWith("not like with like: "));
    CHECK_THAT(first_line(crosscheck({"--device", "pocl-cpu", "--on", "pocl"})),
               StartsWith("matmul 32,32,32: "));
    // Nobody runs: there is nothing to compare with.
    CHECK_THAT(first_line(crosscheck({"--device", "adreno-740", "--on", "none"})),
               StartsWith("matmul 32,32,32: "));
    // A profile that does not say which device it is of.
    const TemporaryFolder folder;
    DeviceProfile nobody = find_profile("adreno-740");
    nobody.name = "somebody";
    nobody.of.clear();
    std::ofstream(folder.file("somebody.xml")) << to_xml(nobody);
    CHECK_THAT(first_line(crosscheck({"--device", folder.file("somebody.xml"), "--on", "pocl"})),
               StartsWith("whether ") && Contains("is the device of somebody is not known"));
}
