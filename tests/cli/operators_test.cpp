// The commands on every operator, as a user gives them.

#include "codegen/operators/operator.hpp"
#include "tests/cli/checked_program.hpp"
#include "tests/cli/program.hpp"
#include "tests/devices/fake_machine.hpp"
#include "tests/random_cases.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <map>
#include <string>

using namespace texelscope;
using namespace texelscope::codegen;
using Catch::Matchers::Contains;
using Catch::Matchers::Matches;
using nlohmann::json;
using test::json_of;
using test::operator+;
using test::ProgramResult;
using test::random_cases;
using test::run_program;
using test::Words;

namespace {

/// Two shapes of an operator: round sizes, and primes.
std::vector<std::string> shapes(const std::string& name)
{
    const auto is = [&](const char* prefix) { return name.rfind(prefix, 0) == 0; };
    if (is("matmul")) {
        return {"64,64,64", "37,53,29"};
    }
    if (is("softmax") || is("layernorm")) {
        return {"64,64", "37,53"};
    }
    if (is("conv3d")) {
        return {"1,4,8,8,16,16,3,3,3,1", "2,5,7,11,3,5,3,3,3,2"};
    }
    if (is("dwconv2d")) {
        return {"1,16,16,64,3,3,1", "2,13,17,7,5,3,2"};
    }
    return {"1,16,16,16,32,3,3,1", "2,13,17,7,11,5,3,2"};
}

} // namespace

namespace {

void check_run(const std::string& name, const std::string& shape)
{
    INFO(name << " " << shape);
    const auto result = run_program(
        {"run", "--op", name, "--shape", shape, "--on", "pocl", "--samples", "1", "--json"});
    REQUIRE(result.exit_code == 0);
    const json run = json::parse(result.output);
    CHECK(run["status"] == "ok");
    CHECK(run["check"]["passed"] == true);
    CHECK(run["footprint"]["registers_estimate"] > 0);
}

} // namespace

TEST_CASE("run computes every operator right, at prime shapes", "[opencl]")
{
    const auto names = operator_names();
    for (std::size_t i = 0; i < names.size(); i += static_cast<std::size_t>(random_cases(2, 1))) {
        check_run(names[i], shapes(names[i]).back());
    }
}

TEST_CASE("run computes every operator right, at round shapes", "[opencl][long]")
{
    for (const std::string& name : operator_names()) {
        check_run(name, shapes(name).front());
    }
}

TEST_CASE("run, crosscheck and tune take a kernel to an agent, and through adb where the "
          "connection drops",
          "[opencl]")
{
    const Words kernel{"--op", "matmul", "--shape", "37,53,29"};
    const Words config{"--config", "A=block4,column;T=4x4;W=8x8;G=8x8x1"};
    const auto passes = [&](const std::string& on) {
        const json run = json_of(Words{"run"} + kernel + config + Words{"--on", on, "--json"});
        CHECK(run["status"] == "ok");
        CHECK(run["check"]["passed"] == true);
    };
    passes("agent:pocl");
    const test::FakeMachine machine;
    machine.drop("keep", 1);
    passes("adb:phone-1/pocl");
    CHECK(machine.dropped());
    passes("ssh:me@board/pocl");

    const json crossed =
        json_of(Words{"crosscheck"} + kernel +
                Words{"--device", "pocl-cpu", "--on", "agent:pocl", "--samples", "2", "--json"});
    CHECK(crossed["rows"].size() == 2);
    const json tuned = json_of({"tune", "--op", "softmax", "--shape", "32,64", "--strategy",
                                "device", "--on", "agent:pocl", "--budget", "2", "--json"});
    CHECK(tuned["evaluated"] == 2);
    const ProgramResult wrong =
        run_program(Words{"run"} + kernel + Words{"--on", "adb:no-such-phone"});
    CHECK(wrong.exit_code == 3);
    CHECK_THAT(wrong.errors, Contains("no-such-phone"));
}

TEST_CASE("simulate, predict and tune take every operator")
{
    for (const std::string& name : operator_names()) {
        const std::string shape = shapes(name).back();
        INFO(name << " " << shape);
        const json simulated = json::parse(run_program({"simulate", "--op", name, "--shape", shape,
                                                        "--device", "mali-g77", "--json"})
                                               .output);
        CHECK(simulated["l1"]["texel_reads"] > 0);
        const json predicted = json::parse(run_program({"predict", "--op", name, "--shape", shape,
                                                        "--device", "mali-g77", "--json"})
                                               .output);
        CHECK(predicted["ns"] > 0);
    }
}

TEST_CASE("tune --prune says how many configurations each criterion rejects, and keeps the rest")
{
    const json tuned =
        json::parse(run_program({"tune", "--op", "matmul", "--shape", "16,8,32", "--device",
                                 "mali-g77", "--prune", "--budget", "4", "--json"})
                        .output);
    std::int64_t first = 0;
    for (const auto& [criterion, counts] : tuned["pruning"]["criteria"].items()) {
        CHECK(counts["first"] <= counts["alone"]);
        first += counts["first"].get<std::int64_t>();
    }
    CHECK(tuned["pruned"] == first);
    CHECK(tuned["pruning"]["kept"].get<std::int64_t>() + first ==
          tuned["space"].get<std::int64_t>());
    CHECK_THAT(
        run_program({"tune", "--op", "matmul", "--shape", "32,32,32", "--prune", "warmth"}).errors,
        Contains("warmth"));
}

TEST_CASE("tune --prune counts shared loads once where nothing is left by each work-item's")
{
    const auto tuned = [](std::vector<std::string> more) {
        std::vector<std::string> arguments{"tune",       "--op",     "matmul",     "--shape",
                                           "64,64,64",   "--device", "adreno-640", "--prune",
                                           "--strategy", "model",    "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return json::parse(run_program(arguments).output);
    };
    const json paper = tuned({"--prune-loads", "each-item"});
    CHECK(paper["pruning"]["kept"] == 0);
    CHECK(paper["ranking"].empty());
    CHECK_FALSE(paper["pruning"].contains("loads"));
    const json named = tuned({"--prune-loads", "shared-once"});
    const json open = tuned({});
    CHECK(open["pruning"]["loads"] == "shared-once");
    CHECK(open["pruning"]["kept"] > 0);
    CHECK(open["pruning"]["criteria"] == named["pruning"]["criteria"]);
    CHECK(open["ranking"] == named["ranking"]);
    CHECK_FALSE(open["ranking"].empty());
    CHECK_THAT(
        run_program({"tune", "--op", "matmul", "--shape", "64,64,64", "--device", "adreno-640",
                     "--prune", "--strategy", "model"})
            .output,
        Contains("nothing is left where each work-item's loads count (--prune-loads each-item)"));
}

TEST_CASE("predict says which criteria exclude a configuration, and why")
{
    const auto predicted = [](const std::string& config) {
        return json::parse(run_program({"predict", "--op", "matmul", "--shape", "64,64,64",
                                        "--device", "adreno-740", "--config", config, "--json"})
                               .output)["pruned_by"];
    };
    // 16 work-items, a quarter of a warp of 64.
    const json small = predicted("A=row,row;T=1x4;G=4x4");
    std::map<std::string, std::string> reasons;
    for (const json& rejection : small) {
        reasons[rejection["criterion"]] = rejection["reason"];
    }
    REQUIRE(reasons.contains("warp"));
    CHECK_THAT(reasons["warp"], Contains("16") && Contains("64"));
    for (const json& rejection : predicted("A=row,row;T=4x4;G=8x8")) {
        CHECK(rejection["criterion"] != "warp");
    }
}

TEST_CASE("simulate and predict say which inputs they do not see")
{
    const std::vector<std::string> what{"--op",     "matmul",
                                        "--shape",  "16,16,16",
                                        "--config", "A=row,row;T=4x4;G=4x4;M=image,buffer,image"};
    const auto errors = [&](const Words& command) { return run_program(command + what).errors; };
    CHECK_THAT(errors({"simulate"}), Contains("B in buffers"));
    CHECK_THAT(errors({"predict", "--variant", "literal"}), Contains("B in buffers"));
    CHECK(errors({"simulate", "--timed"}).empty()); // these see all
    CHECK(errors({"predict"}).empty());
}

TEST_CASE("a kernel that needs more registers than a work-item can have is said to spill, with "
          "both numbers")
{
    for (const char* command : {"generate", "simulate", "predict"}) {
        CAPTURE(command);
        const auto spills = [&](const char* config, const Words& more = {}) {
            const ProgramResult result =
                run_program(Words{command, "--op", "matmul", "--shape", "64,64,64", "--device",
                                  "mali-g77", "--config", config, "--json"} +
                            more);
            const json out = json::parse(result.output);
            const bool said =
                result.errors.find("registers spill on mali-g77: ") != std::string::npos;
            CHECK(said == out.at("spills").is_string());
            return said ? out.at("spills").get<std::string>() : std::string();
        };
        CHECK_THAT(spills("A=row,column;T=8x8;G=8x8"),
                   Matches("a work-item needs 1[0-9]+ registers, it can have 64"));
        CHECK(spills("A=row,column;T=2x2;G=8x8").empty());
        CHECK(spills("A=row,column;T=8x8;G=8x8", {"--set", "limits.registers_per_item=1000"})
                  .empty());
        // Half precision takes fewer, where the device computes in it.
        const Words fifty{"--set", "limits.registers_per_item=50"};
        CHECK(spills("A=row,column;T=8x4;G=8x8;P=fp16", fifty).empty());
        CHECK_FALSE(
            spills("A=row,column;T=8x4;G=8x8;P=fp16", fifty + Words{"--set", "alu.half_lanes=0"})
                .empty());
    }
}
