// What the command says and does when things are not as they should be.

#include "tests/capture/captured.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace texelscope::test {
using namespace traces;

namespace {

bool is_one_line(const std::string& text)
{
    return !text.empty() && text.find('\n') == text.size() - 1;
}

} // namespace

TEST_CASE("trace capture reports what was recorded")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const ProgramResult result =
        run_capture(folder.file("t"), {"--json", "--kernel", "edges", "--groups", "1:3"},
                    host_program("images"));
    REQUIRE(result.exit_code == 0);
    const auto json = nlohmann::json::parse(result.output);
    CHECK(json["schema"] == "texelscope.capture/1");
    CHECK(json["program"]["exit_code"] == 0);
    CHECK(json["skipped"] == 3);
    REQUIRE(json["launches"].size() == 1);
    const auto& launch = json["launches"][0];
    CHECK(launch["kernel"] == "edges");
    CHECK(launch["global"] == nlohmann::json{12, 6, 1});
    CHECK(launch["groups"] == nlohmann::json{1, 3});
    // Groups 1 and 2: x from 4 to 11, y from 0 to 2, never equal: 2 groups of 12 items with 4
    // reads.
    CHECK(launch["reads"] == 96);
    CHECK(launch["writes"] == 24);
    CHECK(launch["images"][0]["reads"] == 48);
    const TraceFile file(folder.file("t"));
    REQUIRE(file.launch_count() == 1);
    CHECK(image_reads(file, 0) == 96);
    CHECK(file.group(0, 0).empty());
    CHECK(file.group(0, 1).size() == 12);
    CHECK(file.group(0, 3).empty());
    CHECK(folder.files() == 1); // nothing else is left behind
}

TEST_CASE("a captured launch is described and simulated like the generated one")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const std::string trace = folder.file("t");
    const std::vector<std::string> op{"--op",     "matmul",   "--shape",
                                      "37,53,29", "--config", "A=block4,row;T=4x4;W=4x8;G=8x8x1"};
    std::vector<std::string> run{TEXELSCOPE_PROGRAM, "run", "--on",          "0", "--samples", "1",
                                 "--warm-up",        "0",   "--native-reads"};
    run.insert(run.end(), op.begin(), op.end());
    REQUIRE(run_capture(trace, {}, run, "OCLGRIND_BUILD_OPTIONS=-cl-opt-disable").exit_code == 0);

    const ProgramResult info = run_program({"trace", "info", "--json", trace});
    REQUIRE(info.exit_code == 0);
    const auto launches = nlohmann::json::parse(info.output)["launches"];
    REQUIRE(launches.size() == 1);
    CHECK(launches[0]["kernel"] == "matmul");

    const auto simulated = [](std::vector<std::string> arguments) {
        for (const char* option : {"--device", "adreno-740", "--set", "occupancy=3", "--json"}) {
            arguments.emplace_back(option);
        }
        const ProgramResult result = run_program(arguments);
        REQUIRE(result.exit_code == 0);
        return nlohmann::json::parse(result.output);
    };
    std::vector<std::string> generated_arguments{"simulate"};
    generated_arguments.insert(generated_arguments.end(), op.begin(), op.end());
    const auto captured = simulated({"simulate", "--trace", trace});
    const auto generated = simulated(generated_arguments);
    CHECK(captured["launch"]["groups"] == generated["launch"]["groups"]);
    CHECK(captured["launch"]["warps"] == generated["launch"]["warps"]);
    CHECK(captured["l1"] == generated["l1"]);
    CHECK(captured["l2"] == generated["l2"]);
    CHECK(captured["l1"]["misses"].get<std::int64_t>() > 0);
    // Reads outside of their image are reads, too.
    const ProgramResult exported =
        run_program({"trace", "generate", "--op", "matmul", "--shape", "37,53,29", "--config",
                     "A=block4,row;T=4x4;W=4x8;G=8x8x1", "-o", folder.file("g.csv")});
    REQUIRE(exported.exit_code == 0);
    const std::string csv = read_file(folder.file("g.csv"));
    std::int64_t rows = -1; // the header
    for (std::size_t at = 0; at < csv.size(); at = csv.find('\n', at) + 1) {
        rows += csv[at] != '#' ? 1 : 0;
    }
    CHECK(launches[0]["reads"] == rows);
}

TEST_CASE("a program that fails: its exit code, and what was complete is kept")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const ProgramResult failed = run_capture(folder.file("t"), {}, host_program("fail"));
    CHECK(failed.exit_code == 7);
    CHECK(failed.errors.find("failed with exit code 7") != std::string::npos);
    CHECK(TraceFile(folder.file("t")).launch_count() == 1);
    const ProgramResult crashed = run_capture(folder.file("u"), {}, host_program("crash"));
    CHECK(crashed.exit_code == 128 + 6);
    CHECK(crashed.errors.find("ended by signal 6") != std::string::npos);
    CHECK(image_reads(TraceFile(folder.file("u")), 0) == 282);
    CHECK(folder.files() == 2);
}

TEST_CASE("trace capture says why nothing was recorded")
{
    const TemporaryFolder folder;
    const std::string trace = folder.file("t");
    if (oclgrind_is_there()) {
        for (const auto& [options, mode, word] :
             {std::tuple<std::vector<std::string>, std::string, std::string>{
                  {}, "none", "launched no OpenCL kernel"},
              {{"--kernel", "sharpen"}, "buffers", "a kernel 'sharpen'"}}) {
            const ProgramResult result = run_capture(trace, options, host_program(mode));
            CHECK(result.exit_code == 2);
            CHECK(is_one_line(result.errors));
            CHECK(result.errors.find(word) != std::string::npos);
        }
        const ProgramResult no_program = run_capture(trace, {}, {"./no-such-program"});
        CHECK(no_program.exit_code == 2);
        CHECK(no_program.errors.find("no-such-program") != std::string::npos);
        const ProgramResult no_plugin = run_capture(trace, {}, host_program("none"),
                                                    "TEXELSCOPE_CAPTURE_PLUGIN=/nowhere/plugin.so");
        CHECK(no_plugin.exit_code == 3);
        CHECK(is_one_line(no_plugin.errors));
    }
    const ProgramResult no_oclgrind =
        run_capture(trace, {}, host_program("none"), "TEXELSCOPE_OCLGRIND=/nowhere/oclgrind");
    CHECK(no_oclgrind.exit_code == 3);
    CHECK(is_one_line(no_oclgrind.errors));
    for (const char* groups : {"3", "4:4", "5:2", "x:y", "-1:4"}) {
        CHECK(run_capture(trace, {"--groups", groups}, host_program("none")).exit_code == 2);
    }
    CHECK(run_program({"trace", "capture", "-o", trace}).exit_code == 2);
    CHECK(run_program({"trace", "capture", "--", "true"}).exit_code == 2);
    CHECK(folder.files() == 0);
}

} // namespace texelscope::test
