// experiment: the list, the files, the JSON; on a small L2, so that little is read.

#include "tests/cli/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const Words small_experiment{"--set", "l2.capacity=8192", "--set", "warp.size=16"};

} // namespace

TEST_CASE("experiment list names the experiments")
{
    const json list = json::parse(run_program({"experiment", "list", "--json"}).output);
    std::set<std::string> names;
    for (const json& experiment : list["experiments"]) {
        names.insert(experiment["name"]);
    }
    CHECK(names == std::set<std::string>{
                       "fig2",          "fig4",           "fig5",           "table3",
                       "fig8",          "fig9",           "fig10",          "measured",
                       "table5",        "table6",         "romou-fig5",     "romou-fig6",
                       "romou-fig7",    "romou-fig11",    "romou-pruning",  "romou-fig17",
                       "romou-fig18",   "workgroup-fig4", "workgroup-fig5", "workgroup-table3",
                       "training-fig3", "measured-h100",  "search",         "registers",
                       "readings",      "judges",         "forms",          "tmmodel-table7",
                       "romou-fig13",   "workgroup-fig6", "tmmodel-table4", "percom-fig4",
                       "tmmodel-table6"});
    std::set<std::string> refusing;
    for (const json& experiment : list["experiments"]) {
        if (!experiment["not_on_devices"].is_null()) {
            CHECK_FALSE(experiment["not_on_devices"].get<std::string>().empty());
            refusing.insert(experiment["name"]);
        }
    }
    CHECK(refusing == std::set<std::string>{"fig5", "measured", "measured-h100", "romou-pruning",
                                            "registers", "judges", "search"});
    CHECK_THAT(run_program({"experiment", "list"}).output,
               Contains("fig4") && Contains("TMModel") && Contains("--on"));
}

TEST_CASE("experiments print data and findings, and leave plot, data and findings in a folder")
{
    for (const char* name : {"fig4", "fig5"}) {
        CAPTURE(name);
        const TemporaryFolder folder;
        const std::string out = folder.file("new/folder");
        const ProgramResult text =
            run_program(Words{"experiment", name, "--out", out} + small_experiment);
        REQUIRE(text.exit_code == 0);
        CHECK_THAT(text.output,
                   Contains("device: adreno-740") && Contains("paper:") && Contains("here:"));
        const std::string base = out + "/" + name;
        CHECK(read_file(base + ".png").starts_with("\x89PNG"));
        CHECK(read_file(base + ".svg").starts_with("<svg"));
        const std::string findings = read_file(base + ".txt");
        CHECK_THAT(findings, Contains("holds: "));
        CHECK_THAT(text.output, Contains(findings));

        const ProgramResult printed =
            run_program(Words{"experiment", name, "--json"} + small_experiment);
        REQUIRE(printed.exit_code == 0);
        const json value = json::parse(printed.output);
        CHECK(value["schema"] == "texelscope.experiment/1");
        CHECK(value["experiment"] == name);
        CHECK(value["on"].is_null());
        CHECK(value["settings"]["l2.capacity"] == 8192);
        const std::string csv = read_file(base + ".csv");
        CHECK(value["rows"].size() + 1 ==
              static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')));
        CHECK(value["rows"][0].size() ==
              static_cast<std::size_t>(std::count(
                  csv.begin(), csv.begin() + static_cast<std::ptrdiff_t>(csv.find('\n')), ',')) +
                  1);
        for (const json& finding : value["findings"]) {
            CHECK(std::set<std::string>{"holds", "does not hold", "not tested"}.contains(
                finding["verdict"]));
        }
        // The same numbers every time.
        CHECK(run_program(Words{"experiment", name, "--json"} + small_experiment).output ==
              printed.output);
    }
}

TEST_CASE(
    "experiment judges has its further tables in the text, in the JSON and in files of their own",
    "[long]")
{
    const TemporaryFolder folder;
    const ProgramResult printed = run_program(
        {"experiment", "judges", "--device", "adreno-740", "--out", folder.file("out"), "--json"});
    INFO(printed.errors);
    REQUIRE(printed.exit_code == 0);
    const json value = json::parse(printed.output);
    CHECK(value["device"] == "adreno-740");
    CHECK(value["rows"].size() == 1 + 7 + 1);
    CHECK(value["further"]["cells"].size() == 14);
    CHECK(value["further"]["farthest"].size() == 3);
    for (const char* table : {"cells", "farthest"}) {
        const std::string csv = read_file(folder.file("out/judges-" + std::string(table) + ".csv"));
        CHECK(std::count(csv.begin(), csv.end(), '\n') ==
              static_cast<std::ptrdiff_t>(value["further"][table].size() + 1));
    }
    CHECK_THAT(run_program({"experiment", "judges", "--device", "adreno-740"}).output,
               Contains("\nCells\n") &&
                   Contains("The farthest kernels of each device's worst cell"));
}

TEST_CASE("experiment report is one page with every experiment that is asked for")
{
    const TemporaryFolder folder;
    const std::string page = folder.file("report.html");
    const ProgramResult result =
        run_program(Words{"experiment", "report", "--only", "fig4", "--only", "fig5", "--also",
                          "mali-g77", "--out", page, "--json"} +
                    small_experiment);
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    const json value = json::parse(result.output);
    CHECK(value["experiments"].size() == 4);
    CHECK(value["findings"].get<int>() >= value["hold"].get<int>());
    const std::string html = read_file(page);
    for (const char* part :
         {"fig4-adreno-740", "fig4-mali-g77", "fig5-adreno-740", "fig5-mali-g77"}) {
        CHECK_THAT(html, Contains("<section id=\"" + std::string(part)) &&
                             Contains("<a href=\"#" + std::string(part)));
    }
    CHECK_THAT(html,
               Contains("<svg") && !Contains("http-equiv=\"refresh\"") && !Contains("src=\"http"));
    CHECK(run_program({"experiment", "report"}).exit_code == 2);
    CHECK(run_program({"experiment", "report", "--only", "fig0", "--out", page}).exit_code == 2);
}

TEST_CASE("experiment refuses unknown names and folders that cannot be")
{
    const TemporaryFolder folder;
    const auto refused = [](const Words& arguments, const std::string& what) {
        const ProgramResult result = run_program(arguments);
        CAPTURE(arguments, result.errors);
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.errors, Contains(what));
        CHECK(result.output.empty());
    };
    refused({"experiment"}, "name is required");
    refused({"experiment", "fig99"}, "experiments are fig2, fig4");
    refused({"experiment", "fig4", "--device", "nothing"}, "adreno-740");
    refused({"experiment", "fig4", "--out", folder.write("file", "")},
            "this folder cannot be made");
    refused({"experiment", "fig5", "--set", "occupancy=0"}, "occupancy");
    refused({"experiment", "fig4", "--only", "fig5"},
            "--only does not apply to experiment fig4; leave it out");
    refused({"experiment", "fig4", "--also", "mali-g77"},
            "--also does not apply to experiment fig4; leave it out");
    refused({"experiment", "list", "--only", "fig5"},
            "--only does not apply to experiment list; leave it out");
    refused({"experiment", "list", "--device", "mali-g77"},
            "--device does not apply to experiment list");
}

TEST_CASE("an experiment on a target says what the simulated device of the same profile says",
          "[long]")
{
    const auto run = [](const Words& more) {
        const ProgramResult result = run_program(
            Words{"experiment", "romou-fig7", "--device", "adreno-640", "--json"} + more);
        CAPTURE(result.errors);
        REQUIRE(result.exit_code == 0);
        return json::parse(result.output);
    };
    const json simulated = run({}).at("findings");
    CHECK(run({"--on", "sim:adreno-640"}).at("findings") == simulated);
    const json other = run({"--on", "sim:mali-g77"});
    CHECK(other.at("findings") != simulated);
    CHECK(other.at("device") == "adreno-640");
    CHECK(other.at("on") == "simulated mali-g77");
}

TEST_CASE("an experiment that cannot be measured, or not on a CPU, says so")
{
    for (const auto& [name, why] : {std::pair{"fig5", "which a device does not tell"},
                                    std::pair{"romou-pruning", "counts the configurations"},
                                    std::pair{"measured", "kernels that were measured before"},
                                    std::pair{"registers", "registers that compilers take"},
                                    std::pair{"judges", "several simulated devices"}}) {
        const ProgramResult refused = run_program({"experiment", name, "--on", "pocl"});
        CAPTURE(name, refused.errors);
        CHECK(refused.exit_code == 2);
        CHECK_THAT(refused.errors, Contains("no device can give its figures") && Contains(why) &&
                                       Contains("experiment list says which take it"));
        CHECK(std::count(refused.errors.begin(), refused.errors.end(), '\n') == 1);
    }
    for (const char* name : {"forms", "table3", "fig4"}) {
        const ProgramResult twice = run_program({"experiment", name, "--on", "sim:adreno-640"});
        CHECK(twice.exit_code == 2);
        CHECK_THAT(twice.errors, Contains("use --device adreno-640"));
    }
    // A CPU has neither warps nor a texture unit; one of these is opened by an agent.
    for (const auto& [name, on] : {std::pair{"romou-fig7", "agent:"}, std::pair{"fig4", "pocl"},
                                   std::pair{"fig2", "pocl"}, std::pair{"romou-fig6", "pocl"}}) {
        const ProgramResult cpu = run_program({"experiment", name, "--on", on});
        CAPTURE(name, cpu.errors);
        CHECK(cpu.exit_code == 3);
        CHECK_THAT(cpu.errors, Contains("it is a CPU") && Contains("choose a GPU"));
    }
}

TEST_CASE("an experiment of kernels runs them on a device as well", "[long]")
{
    const ProgramResult result =
        run_program({"experiment", "forms", "--on", "pocl", "--json"}, "timeout 500");
    CAPTURE(result.errors);
    REQUIRE(result.exit_code == 0);
    const json value = json::parse(result.output);
    CHECK(value["device"] == "adreno-640"); // the paper's
    for (const json& row : value["rows"]) {
        CAPTURE(row);
        CHECK(row["measured_ns"].is_number());
        CHECK(row["measured_speedup"].get<double>() > 0);
    }
    const auto measured =
        std::count_if(value["findings"].begin(), value["findings"].end(), [](const json& finding) {
            return finding["claim"].get<std::string>().starts_with("on ");
        });
    CHECK(2 * measured == static_cast<std::ptrdiff_t>(value["findings"].size()));
}

TEST_CASE("an experiment of choices has the times of a device, and says of which", "[long]")
{
    const TemporaryFolder folder;
    const ProgramResult result = run_program(
        {"experiment", "romou-fig11", "--on", "pocl", "--json", "--out", folder.file("out")},
        "timeout 500");
    CAPTURE(result.errors);
    REQUIRE(result.exit_code == 0);
    const json value = json::parse(result.output);
    CHECK(value["device"] == "adreno-640");
    const std::string on = value["on"];
    CHECK_FALSE(on.empty());
    CHECK_THAT(value["conditions"]["device"].get<std::string>(),
               Contains(on + ", measured") && Contains("by the profile adreno-640"));
    CHECK_THAT(value["conditions"]["of each coarsening"].get<std::string>(),
               Contains("the median of 3 runs") && !Contains("simulated"));
    REQUIRE(value["rows"].size() == 7);
    for (const json& row : value["rows"]) {
        CHECK(row["gflops"].get<double>() > 0);
    }
    for (const json& finding : value["findings"]) {
        CHECK(finding["explanation"] == "");
    }
    CHECK(json::parse(read_file(folder.file("out/romou-fig11.json")))["on"] == on);
}

TEST_CASE("an experiment from one device's measurements refuses others")
{
    const ProgramResult refused = run_program({"experiment", "measured", "--device", "adreno-640"});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.errors, Contains("another device") && Contains("--device nvidia-h200"));
}

TEST_CASE(
    "a report has an experiment from one device's measurements once, whatever devices it is for",
    "[long]")
{
    const TemporaryFolder folder;
    const ProgramResult made = run_program({"experiment", "report", "--only", "measured", "--also",
                                            "mali-g77", "--out", folder.file("r.html"), "--json"});
    REQUIRE(made.exit_code == 0);
    const json report = json::parse(made.output);
    CHECK(report["experiments"] ==
          json::parse(R"([{"experiment": "measured", "device": "nvidia-h200"}])"));
    CHECK(report["findings"] == 9);
    CHECK_THAT(read_file(folder.file("r.html")), Contains("NVIDIA H200, driver 580.159.04"));
}

TEST_CASE("experiment report tries its file before the work")
{
    const TemporaryFolder folder;
    for (const std::string& out : {folder.file("none/report.html"), folder.file("")}) {
        // All experiments take minutes: this one would, if it began.
        const ProgramResult result =
            run_program({"experiment", "report", "--out", out}, "timeout 20");
        CAPTURE(out);
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.errors, Contains(out));
        CHECK(std::count(result.errors.begin(), result.errors.end(), '\n') == 1);
    }
    CHECK(folder.files() == 0);
}
