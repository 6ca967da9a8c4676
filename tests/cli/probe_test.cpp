// probe: the list, records and plots in a folder, going on, a real device, messages.

#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// The findings of a probe in a result of the command, by key.
json findings(const json& result, const std::string& probe)
{
    json found = json::object();
    for (const json& record : result["probes"]) {
        for (const json& finding : record["findings"]) {
            if (record["name"] == probe) {
                found[std::string(finding["key"])] = finding["value"];
            }
        }
    }
    return found;
}

} // namespace

TEST_CASE("probe --list names the probes, and what makes no sense on a CPU")
{
    const json list = json::parse(run_program({"probe", "--list", "--json"}).output);
    CHECK(list["probes"].size() >= 11);
    CHECK_THAT(run_program({"probe", "--list"}).output,
               Contains("texture-caches") && Contains("no: a CPU has no texture"));
}

TEST_CASE("probe leaves records and plots, and goes on where it was")
{
    const TemporaryFolder folder;
    const std::string out = folder.file("probes");
    const auto probe = [&](const std::string& only, const Words& more = {}) {
        return run_program(Words{"probe", "--on", "sim:adreno-640", "--only", only, "-o", out,
                                 "--json", "--quiet"} +
                           more);
    };
    const ProgramResult first = probe("arithmetic,warp-size");
    REQUIRE(first.exit_code == 0);
    const json result = json::parse(first.output);
    CHECK(result["schema"] == "texelscope.probe/1");
    CHECK(findings(result, "warp-size")["warp.size"] == 64);
    for (const char* name :
         {"arithmetic.json", "warp-size.json", "warp-size-arithmetic-over-work-items.svg",
          "warp-size-arithmetic-over-work-items.png"}) {
        CAPTURE(name);
        CHECK_FALSE(read_file(out + "/" + name).empty());
    }
    const std::string record = read_file(out + "/warp-size.json");

    // What is there is not measured again, and serves a probe that needs it.
    const json second = json::parse(probe("registers").output);
    CHECK(findings(second, "registers")["registers.per_core"] == 73728);
    CHECK(findings(second, "warp-size")["warp.size"] == 64);
    CHECK(read_file(out + "/warp-size.json") == record);

    // Other settings do not mix with it.
    const ProgramResult other = probe("arithmetic", {"--samples", "5"});
    CHECK(other.exit_code == 2);
    CHECK_THAT(other.errors, Contains("other settings") && Contains("--again"));
    // what is kept beside it has the old ones
    CHECK(probe("arithmetic", {"--samples", "5", "--again"}).exit_code == 2);
    CHECK(probe("arithmetic,warp-size,registers", {"--samples", "5", "--again"}).exit_code == 0);

    // One is measured anew by what the others found, which stay.
    const json anew = json::parse(probe("registers", {"--samples", "5", "--again"}).output);
    CHECK(findings(anew, "registers")["registers.per_core"] == 73728);
    CHECK(findings(anew, "warp-size")["warp.size"] == 64);
}

TEST_CASE("what a folder holds can be shown and made a profile without measuring; the profile is "
          "measured as the device was")
{
    const TemporaryFolder folder;
    const std::string out = folder.file("probes"), first = folder.file("measured.xml"),
                      second = folder.file("again.xml");
    const ProgramResult measured =
        run_program({"probe", "--on", "sim:adreno-640", "--only", "warp-size,texture-caches",
                     "--samples", "3", "-o", out, "--profile-out", first, "--json"});
    CAPTURE(measured.errors);
    REQUIRE(measured.exit_code == 0);
    const ProgramResult kept = run_program({"probe", "--from", out, "--json"});
    REQUIRE(kept.exit_code == 0);
    CHECK(json::parse(kept.output) == json::parse(measured.output));

    const ProgramResult again =
        run_program({"probe", "--on", "sim:" + first, "--only", "warp-size,texture-caches",
                     "--samples", "3", "--profile-out", second, "--json"});
    CAPTURE(again.errors);
    REQUIRE(again.exit_code == 0);
    for (const char* key : {"l1.capacity", "l1.line", "l1.ways", "latency.l1"}) {
        CAPTURE(key);
        CHECK(findings(json::parse(again.output), "texture-caches")[key] ==
              findings(json::parse(measured.output), "texture-caches")[key]);
    }

    const ProgramResult based = run_program(
        {"probe", "--from", out, "--profile-out", second, "--base", "mali-g77", "--quiet"});
    REQUIRE(based.exit_code == 0);
    CHECK_THAT(read_file(second), Contains("key=\"registers.per_core\" from=\"inferred\"") &&
                                      Contains("key=\"warp.size\" from=\"measured\""));
}

TEST_CASE("probes run through an agent")
{
    const ProgramResult run = run_program(
        {"probe", "--on", "agent:pocl", "--samples", "3", "--only", "host,arithmetic", "--json"});
    CAPTURE(run.errors);
    REQUIRE(run.exit_code == 0);
    const json result = json::parse(run.output);
    CAPTURE(result["probes"][0]["reason"], result["probes"][1]["reason"]);
    CHECK(findings(result, "host")["launch.overhead"] > 0);
    CHECK(findings(result, "arithmetic")["fp32.multiply_adds"] > 0);
    CHECK(result["target"]["cpu"] == true);
}

TEST_CASE("a probe that lacks what it needs, or a device that refuses, is recorded with the reason")
{
    const ProgramResult lacks = run_program(
        {"probe", "--on", "sim:adreno-640", "--only", "registers,host,conditions,local-memory"});
    CHECK(lacks.exit_code == 0);
    CHECK_THAT(lacks.output, Contains("registers skipped: it needs warp.size"));
    CHECK_THAT(lacks.output,
               Contains("host failed") && Contains("launch overhead is not simulated"));
    CHECK_THAT(lacks.output, Contains("conditions failed") && Contains("does not get warm"));
    CHECK_THAT(lacks.output,
               Contains("local-memory failed") && Contains("local memory is not simulated"));
    CHECK_THAT(lacks.output, Contains("nothing was found"));
}

TEST_CASE("the same seed gives the same noise")
{
    const Words words{"probe",   "--on", "sim:mali-g77", "--only", "arithmetic",
                      "--noise", "0.05", "--samples",    "5",      "--json"};
    const auto without_seconds = [&](Words all) {
        json result = json::parse(run_program(all).output);
        for (json& record : result["probes"]) {
            record.erase("seconds");
        }
        return result;
    };
    Words other = words;
    other.insert(other.end(), {"--seed", "2"});
    CHECK(without_seconds(words) == without_seconds(words));
    CHECK(without_seconds(words)["probes"] != without_seconds(other)["probes"]);
}

TEST_CASE("probe on PoCL measures what a CPU has and skips the rest")
{
    const ProgramResult run = run_program(
        {"probe", "--on", "pocl", "--samples", "3", "--only", "host,texture-caches", "--json"});
    CAPTURE(run.errors);
    REQUIRE(run.exit_code == 0);
    const json result = json::parse(run.output);
    CAPTURE(result["probes"][0]["reason"], result["probes"][1]["reason"]);
    CHECK(findings(result, "host")["launch.overhead"] > 0);
    for (const char* key : {"copy.buffer.to.rate", "copy.buffer.from.rate", "copy.image.to.rate",
                            "copy.image.from.rate"}) {
        CHECK(findings(result, "host")[key] > 0);
    }
    const auto& records = result["probes"];
    const auto caches = std::find_if(records.begin(), records.end(), [](const json& record) {
        return record["name"] == "texture-caches";
    });
    REQUIRE(caches != records.end());
    CHECK((*caches)["status"] == "skipped");
    CHECK_THAT(std::string((*caches)["reason"]), Contains("no texture unit"));
}

TEST_CASE("probe refuses what it does not know")
{
    refused({"probe", "--only", "cache"}, "no probe 'cache'");
    refused({"probe", "--on", "sim:nothing"}, "nothing");
    refused({"probe", "--on", "ssh:"}, "ssh");
    refused({"probe", "--on", "no such device"}, "no such device", 3);
    refused({"probe", "--from", "/dev/null"}, "no record of a probe");
    refused({"probe", "--on", "sim:adreno-640", "-o", "/dev/null/x"}, "cannot be made");
}
