// texelscope phone from end to end: on the simulator, on PoCL through the agent, and behind an adb
// that drops the connection.

#include "tests/base/temporary_folder.hpp"
#include "tests/cli/checked_program.hpp"
#include "tests/cli/killed_program.hpp"
#include "tests/cli/program.hpp"
#include "tests/devices/fake_machine.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <filesystem>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Little of everything, so that it takes seconds.
const Words little{"--kernels",       "7", "--passes", "1",  "--walks", "10",
                   "--probe-seconds", "5", "--budget", "200"};

void check_files(const std::string& folder)
{
    for (const char* const name : {"phone.json.zst", "phone.xml", "report.html", "kernels.db"}) {
        CAPTURE(name);
        CHECK(fs::is_regular_file(fs::path(folder) / name));
    }
    // The profile is one: other subcommands take it.
    const json prediction = json_of({"predict", "--op", "matmul", "--shape", "64,64,64", "--device",
                                     (fs::path(folder) / "phone.xml").string()});
    CHECK(prediction["schema"] == "texelscope.predict/1");
}

/// The text of phone.json.zst, as merging writes it unpacked.
std::string raw_text(const std::string& folder)
{
    const std::string plain = (fs::path(folder) / "plain.json").string();
    const json merged =
        json_of({"phone", "--merge", (fs::path(folder) / "phone.json.zst").string(), "-o", plain});
    CHECK(merged["phones"].size() == 1);
    return read_file(plain);
}

} // namespace

TEST_CASE("phone on the simulator finds values of the profile that it simulates", "[phone][long]")
{
    const TemporaryFolder folder;
    const std::string out = folder.file("phone");
    const Words command = Words{"phone", "sim:adreno-640", "-o", out} + little;
    const json found = json_of(command);
    CHECK(found["device"] == "Adreno 640");
    CHECK(found["simulated"] == true);
    CHECK(found["kernels"] == 7);
    CHECK(found["walks"] == 10);
    check_files(out);
    const json profile = json_of({"devices", (fs::path(out) / "phone.xml").string()});
    CHECK_THAT(read_file((fs::path(out) / "report.html").string()),
               Contains("SIMULATED") && Contains("What probes found"));
    // Again: nothing is measured, and nothing changes.
    const auto written = fs::last_write_time(fs::path(out) / "kernels.db");
    CHECK(json_of(command) == found);
    CHECK(fs::last_write_time(fs::path(out) / "kernels.db") == written);
    // Its kernels go to whoever takes results.
    const std::string raw = (fs::path(out) / "phone.json.zst").string();
    CHECK(json_of({"results", "merge", folder.file("store"), raw, raw})["added"] == 7);
    const json tasks =
        json_of({"experiment", "measured-phones", "--logs", raw, "--judge", "model"});
    CHECK(tasks["tasks"].empty()); // one kernel of each operator is too few to judge by
}

TEST_CASE("phone measures PoCL through the agent, and the file for others says nothing of here",
          "[phone][long]")
{
    const TemporaryFolder folder;
    const std::string out = folder.file("phone");
    const Words command = Words{"phone", "agent:pocl", "-o", out} + little;
    // Killed once there are some kernels, it goes on.
    CHECK(kill_when(Words{TEXELSCOPE_PROGRAM} + command,
                    [&] { return rows_of_store((fs::path(out) / "kernels.db").string()) >= 2; }));
    const json found = json_of(command);
    CHECK(found["simulated"] == false);
    CHECK(found["kernels"] == 7);
    CHECK(found["before"]["kernels"] == 7);
    check_files(out);
    const std::string text = raw_text(out);
    const json phone = json::parse(text)["phones"][0];
    REQUIRE(phone["kernels"].size() >= 7);
    for (const json& kernel : phone["kernels"]) {
        CHECK(kernel["status"] == "ok");
        CHECK(kernel["reference_ns"] > 0);
    }
    char host[256] = {};
    REQUIRE(gethostname(host, sizeof host - 1) == 0);
    for (const std::string& here : {std::string(host), folder.file(""), std::string("/home/")}) {
        CAPTURE(here);
        CHECK((here.size() < 3 || text.find(here) == std::string::npos));
    }
    refused(Words{"phone", "sim:adreno-640", "-o", out, "--quiet"} + little,
            "measured with other settings");
}

TEST_CASE("phone goes on behind an adb that drops the connection and reboots", "[phone][long]")
{
    const TemporaryFolder folder;
    const std::string out = folder.file("phone");
    const FakeMachine machine;
    const Words command = Words{"phone", "adb:phone-1/pocl", "-o", out} + little;
    machine.fill("No space left on device");
    refused(command, "there is not enough space", 3);
    fs::remove(fs::path(machine.file("machine/full", "")));
    machine.drop(GENERATE("keep", "kill"), 1);
    const json found = json_of(command);
    CHECK(machine.dropped());
    CHECK(found["kernels"] == 7);
    CHECK(raw_text(out).find("phone-1") == std::string::npos); // a serial number
    CHECK(machine.is_clean());
}

TEST_CASE("phone says what it needs")
{
    refused({"phone", "-o", "/tmp/none"}, "one place is measured, or files are merged");
    refused({"phone", "sim:adreno-640"}, "--output is required");
    refused({"phone", "sim:nothing", "-o", "/tmp/none"}, "there is no device profile");
    refused({"phone", "--merge", "/nowhere.json", "-o", "/tmp/none"}, "/nowhere.json");
    refused({"phone", "pocl", "-o", "/dev/null/folder"}, "this folder cannot be made");
}
