// diff: two results of the program, and of hand-written files.

#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// Result of `simulate` on a small product, as a file.
std::string simulated(const TemporaryFolder& folder, const std::string& name,
                      const Words& options = {})
{
    const ProgramResult result =
        run_program(Words{"simulate", "--op", "matmul", "--shape", "64,64,64", "--config",
                          "A=row,column;T=4x4;W=8x8;G=8x8x1", "--json"} +
                    options);
    REQUIRE(result.exit_code == 0);
    return folder.write(name, result.output);
}

/// The element of a list with that path.
json at_path(const json& list, const std::string& path)
{
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const json& one) { return one["path"] == path; });
    return found == list.end() ? json() : *found;
}

} // namespace

TEST_CASE("diff shows what changed between two simulations")
{
    const TemporaryFolder folder;
    const std::string a = simulated(folder, "a.json");
    const std::string b = simulated(
        folder, "b.json",
        {"--set", "l1.capacity=4096", "--set", "l1.replacement=fifo", "--set", "l1.ways=0"});
    const json in_a = json::parse(read_file(a));
    const json in_b = json::parse(read_file(b));
    REQUIRE(in_a["l1"]["misses"] != in_b["l1"]["misses"]);

    const ProgramResult printed = run_program({"diff", a, b, "--json"});
    REQUIRE(printed.exit_code == 0);
    const json diff = json::parse(printed.output);
    CHECK(diff["schema"] == "texelscope.diff/1");
    CHECK(diff["compared"] == "texelscope.simulate");
    CHECK(diff["same"] == false);
    CHECK(at_path(diff["settings"], "settings.l1.capacity")["b"] == 4096);
    CHECK(at_path(diff["settings"], "settings.l1.replacement")["b"] == "fifo");
    CHECK(diff["settings"].size() == 3);
    const json misses = at_path(diff["numbers"], "l1.misses");
    const double before = in_a["l1"]["misses"];
    const double after = in_b["l1"]["misses"];
    CHECK(misses["a"] == before);
    CHECK(misses["b"] == after);
    CHECK(misses["difference"] == after - before);
    CHECK(misses["percent"].get<double>() == Approx(100 * (after - before) / before));
    CHECK(at_path(diff["numbers"], "l1.miss_rate")["b"].get<double>() ==
          Approx(after / in_b["l1"]["lookups"].get<double>()));
    // Every number that is listed differs in the files, and nothing else does.
    for (const json& one : diff["numbers"]) {
        CHECK(one["a"] != one["b"]);
    }
    CHECK(at_path(diff["numbers"], "l1.lookups").is_null() ==
          (in_a["l1"]["lookups"] == in_b["l1"]["lookups"]));

    const ProgramResult text = run_program({"diff", a, b});
    CHECK(text.exit_code == 0);
    CHECK_THAT(text.output, Contains("settings.l1.replacement") && Contains("l1.misses"));
    CHECK(text.errors.empty());
}

TEST_CASE("diff of a result with itself is empty")
{
    const TemporaryFolder folder;
    const std::string a = simulated(folder, "a.json", {"--timed"});
    const ProgramResult text = run_program({"diff", a, a, "--fail-if", "ns>+0%"});
    CHECK(text.exit_code == 0);
    CHECK_THAT(text.output, Contains("no differences") && Contains("does not hold"));
    CHECK(json::parse(run_program({"diff", a, a, "--json"}).output)["same"] == true);
}

TEST_CASE("diff ends with 1 where a condition holds, and says which")
{
    const TemporaryFolder folder;
    const std::string a =
        folder.write("a.json", R"({"schema":"texelscope.simulate/1","texelscope":"0.1.0",
                                   "l1":{"lookups":1000,"misses":100},"l2":{"lookups":100,"misses":0}})");
    const std::string b =
        folder.write("b.json", R"({"schema":"texelscope.simulate/1","texelscope":"0.1.0",
                                   "l1":{"lookups":1000,"misses":110},"l2":{"lookups":110,"misses":5}})");
    const auto code = [&](const std::string& condition) {
        return run_program({"diff", a, b, "--fail-if", condition}).exit_code;
    };
    CHECK(code("l1.misses>+5%") == 1);
    CHECK(code("l1.misses>+10%") == 0);
    CHECK(code("l1.misses>=+10%") == 1);
    CHECK(code("l1.misses<-5%") == 0);
    CHECK(code("l1.misses>+9") == 1);
    CHECK(code("l1.misses>+10") == 0);
    CHECK(code("l1.miss_rate>0.105") == 1);
    CHECK(code("l1.miss_rate>0.115") == 0);
    CHECK(code("l2.misses>+1000%") == 1); // from zero
    CHECK(code("l1.lookups>+0") == 0);

    const ProgramResult both = run_program(
        {"diff", a, b, "--json", "--fail-if", "l1.misses>+50%", "--fail-if", "l2.misses>=5"});
    CHECK(both.exit_code == 1);
    const json conditions = json::parse(both.output)["conditions"];
    REQUIRE(conditions.size() == 2);
    CHECK(conditions[0]["holds"] == false);
    CHECK(conditions[1]["holds"] == true);
    CHECK(conditions[1]["percent"].is_null());
    CHECK_THAT(run_program({"diff", a, b}).output, Contains("from zero"));
}

TEST_CASE("diff finds rows again by their configuration, whatever their order")
{
    const TemporaryFolder folder;
    const std::string a =
        folder.write("a.json", R"({"schema":"texelscope.tune/1","texelscope":"0.1.0",
        "ranking":[{"config":"A=row,row;T=4x4","cost_ns":5},{"config":"A=column,row;T=4x4","cost_ns":7}]})");
    const std::string b =
        folder.write("b.json", R"({"schema":"texelscope.tune/1","texelscope":"0.1.0",
        "ranking":[{"config":"A=column,row;T=4x4","cost_ns":7},{"config":"A=row,row;T=4x4","cost_ns":8}]})");
    const json numbers = json::parse(run_program({"diff", a, b, "--json"}).output)["numbers"];
    REQUIRE(numbers.size() == 1);
    CHECK(numbers[0]["path"] == "ranking.A=row,row;T=4x4.cost_ns");
    CHECK(numbers[0]["b"] == 8);
    CHECK(
        run_program({"diff", a, b, "--fail-if", "ranking.A=row,row;T=4x4.cost_ns>+2"}).exit_code ==
        1);
}

TEST_CASE("diff of results of other versions compares and tells")
{
    const TemporaryFolder folder;
    const std::string a =
        folder.write("a.json", R"({"schema":"texelscope.run/1","texelscope":"0.1.0","gflops":1})");
    const std::string b =
        folder.write("b.json", R"({"schema":"texelscope.run/2","texelscope":"0.2.0","gflops":1})");
    const ProgramResult result = run_program({"diff", a, b});
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.errors,
               Contains("texelscope.run/1 and texelscope.run/2") && Contains("0.1.0 and 0.2.0"));
    CHECK_THAT(result.output, Contains("no differences"));
    CHECK(run_program({"diff", a, b, "--quiet"}).errors.empty());
}

TEST_CASE("diff refuses what it cannot compare")
{
    const TemporaryFolder folder;
    const std::string a = simulated(folder, "a.json");
    refused({"diff", a}, "b is required");
    refused({"diff", a, folder.file("none.json")}, "none.json: cannot be read");
    refused({"diff", a, folder.file("")}, "this is a folder");
    refused({"diff", a, folder.write("text.json", "{\n\"schema\": oops")},
            "text.json:2: this is not JSON");
    refused({"diff", a, folder.write("list.json", "[1, 2]")}, "there is no schema in it");
    refused({"diff", a, folder.write("foreign.json", R"({"schema":"other/1"})")},
            "its schema is 'other/1'");
    refused({"diff", a, folder.write("run.json", R"({"schema":"texelscope.run/1"})")},
            "compare two results of one subcommand");
    refused({"diff", a,
             folder.write("deep.json", R"({"schema":"texelscope.simulate/1","x":)" +
                                           std::string(5000, '[') + std::string(5000, ']') + "}")},
            "nested");
    refused({"diff", a, a, "--fail-if", "l1.mises>+5%"},
            "there is no 'l1.mises'; the nearest is 'l1.misses'");
    refused({"diff", a, a, "--fail-if", "settings.layout>+5%"}, "is no number");
    refused({"diff", a, a, "--fail-if", "cycles>+5%"}, "is no number: null");
    refused({"diff", a, a, "--fail-if", "l1.misses+5%"}, "write PATH OP LIMIT");
    refused({"diff", a, a, "--fail-if", "l1.misses>5%"}, "needs its sign");
}

TEST_CASE("diff says which layers of a network are to blame, and which kernel")
{
    const TemporaryFolder folder;
    const auto planned = [&](const std::string& name, const Words& more) {
        const ProgramResult result =
            run_program(Words{"network", "plan", "lenet-5", "--json"} + more);
        REQUIRE(result.exit_code == 0);
        return folder.write(name, result.output);
    };
    const std::string ours = planned("ours.json", {});
    const std::string theirs = planned("theirs.json", {"--policy", "tinygrad"});
    const ProgramResult printed =
        run_program({"diff", ours, theirs, "--json", "--fail-if", "total.predicted_ns>+2%",
                     "--fail-if", "nodes.*.predicted_ns>+10%"});
    CHECK(printed.exit_code == 1);
    const json conditions = json::parse(printed.output)["conditions"];
    const json before = json::parse(read_file(ours)), after = json::parse(read_file(theirs));
    CHECK(conditions[0]["holds"] == true);
    double worst = 0;
    std::string slowest;
    for (std::size_t i = 0; i < before["nodes"].size(); ++i) { // both have the same layers
        const double more = after["nodes"][i]["predicted_ns"].get<double>() -
                            before["nodes"][i]["predicted_ns"].get<double>();
        if (more > worst) {
            worst = more;
            slowest = after["nodes"][i]["name"];
        }
    }
    CHECK(conditions[0]["blamed"][0]["row"] == "nodes." + slowest);
    CHECK(conditions[0]["blamed"][0]["share"].get<double>() ==
          Approx(worst / (after["total"]["predicted_ns"].get<double>() -
                          before["total"]["predicted_ns"].get<double>())));
    CHECK(conditions.size() == 1 + before["nodes"].size());
    const std::string text =
        run_program({"diff", ours, theirs, "--fail-if", "total.predicted_ns>+2%"}).output;
    CHECK_THAT(text, Contains("total.predicted_ns, to blame:\n  nodes." + slowest));
    CHECK_THAT(text, Contains(" became "));
    CHECK(run_program({"diff", ours, ours, "--fail-if", "nodes.*.predicted_ns>+10%"}).exit_code ==
          0);

    const std::string a = simulated(folder, "a.json");
    const std::string b = simulated(folder, "b.json", {"--set", "l1.capacity=512"});
    CHECK_THAT(run_program({"diff", a, b, "--fail-if", "l1.evictions>+1%"}).output,
               Contains("l1.evictions, to blame: matmul 64,64,64 A=row,column;T=4x4;W=8x8;G=8x8x1 "
                        "on adreno-740"));
}

TEST_CASE("The sample for builds accepts a state, and names the kernel that got slower")
{
    const TemporaryFolder folder;
    const std::string script = std::string(TEXELSCOPE_SOURCE) + "/docs/ci/check_performance";
    const std::string path = std::filesystem::path(TEXELSCOPE_PROGRAM).parent_path().string();
    const auto check = [&](const Words& more) {
        return run_words(Words{script} + more + Words{folder.file(".")}, "PATH=" + path + ":$PATH");
    };
    (void)folder.write("phones.txt", "adreno-750\nmali-g77\n");
    (void)folder.write(
        "kernels.txt",
        "# ours\nmatmul 64,64,64 A=column,block4;T=4x4;W=8x8;G=8x8x1\nmatmul 16,16,16\n");
    (void)folder.write("networks.txt", "mlp-16-16\n");
    const ProgramResult accepted = check({"--accept"});
    CAPTURE(accepted.errors);
    REQUIRE(accepted.exit_code == 0);
    CHECK(accepted.output == "5 results accepted\n");
    const ProgramResult same = check({});
    CAPTURE(same.output, same.errors);
    CHECK(same.exit_code == 0);
    CHECK(same.output.empty());
    (void)folder.write("kernels.txt",
                       "matmul 64,64,64 A=row,row;T=1x1;W=64x1;G=64x1x1\nmatmul 16,16,16\n");
    const ProgramResult worse = check({});
    CHECK(worse.exit_code == 1);
    CHECK_THAT(worse.output, Contains("=== kernel-matmul-64,64,64-adreno-750 got slower"));
    CHECK_THAT(worse.output,
               Contains("to blame: matmul 64,64,64 A=row,row;T=1x1;W=64x1;G=64x1x1 on adreno-750"));
}
