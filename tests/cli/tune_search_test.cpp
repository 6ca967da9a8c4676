#include "tests/cli/checked_program.hpp"
#include "tests/cli/killed_program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

Words tune(const std::string& strategy, const Words& more = {})
{
    return Words{"tune",     "--op",       "matmul",     "--shape", "40,32,24",
                 "--device", "adreno-640", "--strategy", strategy} +
           more;
}

json searched(const std::string& strategy, const Words& more = {})
{
    return json_of(tune(strategy, more));
}

} // namespace

TEST_CASE("tune searches with the timed simulator, in the fields that it always has")
{
    for (const char* strategy :
         {"shortlist", "rules", "reuse-distance", "random", "learned", "local-size"}) {
        const json found = searched(strategy, {"--budget", "6", "--top", "0"});
        CAPTURE(strategy, found.dump());
        CHECK(found["schema"] == "texelscope.tune/1");
        CHECK(found["strategy"] == strategy);
        CHECK(found["evaluated"].get<int>() >= 1);
        CHECK(found["evaluated"].get<int>() <= 6);
        CHECK(found["evaluated"].get<long>() + found["pruned"].get<long>() <=
              found["space"].get<long>());
        CHECK(found["seconds"].get<double>() >= 0);
        CHECK(found["ranking"].size() == found["evaluated"].get<std::size_t>());
        std::set<std::string> configurations;
        double before = 0;
        for (const auto& row : found["ranking"]) {
            CHECK(configurations.insert(row["config"].get<std::string>()).second);
            CHECK(row["cost_ns"].get<double>() >= before);
            before = row["cost_ns"].get<double>();
        }
        // The cost is what `simulate --timed` says of the configuration.
        const json simulated =
            json::parse(run_program({"simulate", "--timed", "--op", "matmul", "--shape", "40,32,24",
                                     "--device", "adreno-640", "--config",
                                     found["ranking"][0]["config"].get<std::string>(), "--json"})
                            .output);
        CHECK(simulated["ns"].get<double>() ==
              Approx(found["ranking"][0]["cost_ns"].get<double>()));
    }
}

TEST_CASE("Budgets that tune has without --budget, and seeds")
{
    CHECK(searched("rules")["evaluated"] == 1);
    CHECK(searched("reuse-distance")["evaluated"] == 1);
    CHECK(searched("random")["evaluated"] == 64);
    CHECK(searched("random")["ranking"].size() == 10);
    const json all = searched("local-size");
    CHECK(all["evaluated"] == all["space"]);
    const Words few{"--budget", "5"};
    CHECK(searched("random", few)["ranking"] == searched("random", few)["ranking"]);
    CHECK(searched("random", few)["ranking"] !=
          searched("random", {"--budget", "5", "--seed", "2"})["ranking"]);
    CHECK_THAT(run_program(tune("learned", {"--budget", "9"})).output,
               Contains("9 evaluated by the simulator") && Contains("of learned"));
}

TEST_CASE("tune refuses, on one line, options that its strategy or its judge does not use")
{
    const auto refused = [](const Words& words, const std::string& what) {
        const ProgramResult result = run_program(words);
        CAPTURE(words);
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.errors, Contains(what));
        CHECK(std::count(result.errors.begin(), result.errors.end(), '\n') == 1);
        CHECK(result.output.empty());
    };
    refused(tune("learned", {"--budget", "0"}), "--budget");
    refused(tune("device"), "--on");
    refused(tune("luck"), "--strategy");
    const std::vector<Words> of_searches{{"--budget", "5"},       {"--time", "5"},
                                         {"--sample", "100"},     {"--on", "pocl"},
                                         {"--store", "r.sqlite"}, {"--samples", "3"}};
    for (const char* strategy : {"model", "mnn"}) {
        for (const Words& option : of_searches) {
            refused(tune(strategy, option),
                    option[0] + " does not apply to --strategy " + strategy + "; leave it out");
        }
    }
    const std::vector<Words> of_rankings{{"--prune"},
                                         {"--prune-loads", "shared-once"},
                                         {"--calibration", "none.json"},
                                         {"--variant", "literal"}};
    for (const char* strategy : {"random", "rules"}) {
        for (const Words& option : of_rankings) {
            refused(tune(strategy, option),
                    option[0] + " does not apply to --strategy " + strategy + "; leave it out");
        }
    }
    refused(tune("random", {"--samples", "3"}),
            "--samples does not apply to the simulator, which judges");
    refused(tune("random", {"--on", "pocl", "--sample", "20000"}),
            "--sample does not apply where a device judges");
    refused(tune("device", {"--sample", "20000"}), "--sample does not apply where a device judges");
    refused(tune("model", {"--variant", "bottleneck", "--calibration", "none.json"}),
            "--calibration does not apply to --variant bottleneck");
    refused(tune("model", {"--prune-loads", "shared-once"}),
            "--prune-loads does not apply without --prune");
    refused({"tune", "--op", "matmul", "--shape", "8,8,8", "--list-baselines", "--where",
             "tile_x == 4"},
            "--where does not apply to --list-baselines");
    refused({"tune", "--op", "matmul", "--shape", "8,8,8", "--list-baselines", "--top", "3"},
            "--top does not apply to --list-baselines");
}

TEST_CASE("tune says on one line that its time was over before anything was judged")
{
    for (const char* strategy : {"random", "learned", "shortlist", "rules"}) {
        for (const Words& more : {Words{}, Words{"--json"}}) {
            const Words words = tune(strategy, {"--time", "1e-12"}) + more;
            const ProgramResult result = run_program(words);
            CAPTURE(words);
            CHECK(result.exit_code == 2);
            CHECK(result.output.empty());
            CHECK(result.errors == "texelscope: --time 1e-12: nothing was judged in that time; "
                                   "give it more seconds\n");
        }
    }
    CHECK(searched("random", {"--time", "100", "--budget", "2"})["evaluated"] == 2);
}

TEST_CASE("tune does not judge again what a store knows")
{
    const TemporaryFolder folder;
    const std::string store = folder.file("results.sqlite");
    const json first = searched("random", {"--budget", "7", "--store", store});
    CHECK(first["from_store"] == 0);
    CHECK(first["judge"] == "simulator");
    const json more = searched("random", {"--budget", "12", "--store", store});
    CHECK(more["evaluated"] == 12);
    CHECK(more["from_store"] == 7);
    const json again = searched("random", {"--budget", "12", "--store", store});
    CHECK(again["from_store"] == 12);
    CHECK(again["ranking"] == more["ranking"]);
    // Other settings are other results.
    CHECK(searched("random",
                   {"--budget", "7", "--store", store, "--set", "cores=1"})["from_store"] == 0);
    const json listed = json::parse(run_program({"results", "list", store, "--json"}).output);
    CHECK(listed["results"].size() == 12 + 7);
}

TEST_CASE("tune runs kernels where a device judges, and keeps the runs")
{
    const TemporaryFolder folder;
    const std::string store = folder.file("results.sqlite");
    const Words on_pocl{"--budget", "3", "--on", "Portable", "--store", store, "--samples", "3"};
    const json first = searched("random", on_pocl);
    CHECK(first["judge"] == "device");
    CHECK(first["evaluated"] == 3);
    REQUIRE(first["ranking"].size() == 3);
    const json again = searched("random", on_pocl);
    CHECK(again["from_store"] == 3);
    // The fastest ran again, so that their times are others.
    const auto configurations = [](const json& result) {
        std::set<std::string> all;
        for (const json& row : result["ranking"]) {
            all.insert(row["config"].get<std::string>());
        }
        return all;
    };
    CHECK(configurations(again) == configurations(first));
    CHECK(again["repeats"]["runs"] >= 1);
}

TEST_CASE("A search that is killed goes on from its store")
{
    const TemporaryFolder folder;
    const std::string store = folder.file("results.sqlite");
    const Words words = tune("random", {"--budget", "150", "--store", store, "--json"});
    Words program = words;
    program.insert(program.begin(), TEXELSCOPE_PROGRAM);
    REQUIRE(kill_when(program, [&] { return rows_of_store(store) >= 5; }));
    const int kept = rows_of_store(store);
    REQUIRE(kept >= 5);
    const json rest = json::parse(run_program(words).output);
    CHECK(rest["evaluated"] == 150);
    CHECK(rest["from_store"] == kept);
    CHECK(rows_of_store(store) == 150);
}
