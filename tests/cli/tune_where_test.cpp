// Conditions of tune and sweep: fewer configurations, the same answers.

#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

Words tune_where(const Words& more)
{
    return Words{"tune", "--op", "matmul", "--shape", "40,32,24", "--device", "adreno-640"} + more;
}

} // namespace

TEST_CASE("tune --where ranks what the whole ranking has where the condition holds")
{
    const Words ranking{"--strategy", "model", "--variant", "bottleneck", "--top", "0"};
    const json all = json_of(tune_where(ranking));
    CHECK_FALSE(all.contains("where"));
    Words words = ranking;
    words.insert(words.end(),
                 {"--where", "tile_x == 4 and tile_y == 4", "--where", "pattern_1 == 'block2'"});
    const json some = json_of(tune_where(words));
    json expected = json::array();
    for (const json& row : all["ranking"]) {
        const auto config = row["config"].get<std::string>();
        if (config.starts_with("A=block2,") && config.find("T=4x4;") != std::string::npos) {
            expected.push_back(row);
            expected.back().erase("alike"); // there are fewer where a condition leaves some out
        }
    }
    CHECK(expected.size() > 0);
    json ranked = some["ranking"];
    for (json& row : ranked) {
        row.erase("alike");
    }
    CHECK(ranked == expected);
    CHECK(some["space"] == all["space"]);
    CHECK(some["evaluated"] == expected.size());
    CHECK(some["pruned"] == 0);
    CHECK(some["where"]["kept"] == expected.size());
    REQUIRE(some["where"]["conditions"].size() == 2);
    CHECK(some["where"]["conditions"][0]["condition"] == "tile_x == 4 and tile_y == 4");
    CHECK(some["where"]["kept"].get<int>() + some["where"]["conditions"][0]["excludes"].get<int>() +
              some["where"]["conditions"][1]["excludes"].get<int>() ==
          some["space"].get<int>());

    const json pruned =
        json_of(tune_where({"--where", "tile_x == 4", "--prune", "warp", "--strategy", "model"}));
    CHECK(pruned["evaluated"].get<int>() + pruned["pruned"].get<int>() ==
          pruned["where"]["kept"].get<int>());
    CHECK(pruned["pruned"] > 0);

    const std::string text = run_program(tune_where(words)).output;
    CHECK_THAT(text, Contains("by --where") && Contains("pattern_1 == 'block2'"));
}

TEST_CASE("Every strategy searches only what a condition leaves, and the store does not mind")
{
    const TemporaryFolder folder;
    const std::string store = folder.file("results.sqlite");
    struct Case {
        const char* strategy;
        const char* where;
        const char* part; ///< of every configuration for which that holds
    };
    for (const auto& [strategy, where, part] :
         {Case{"shortlist", "block_size_x == 8", ";G=8x"},
          Case{"random", "tile_x == 2 and tile_y == 8", ";T=2x8;"},
          Case{"learned", "warp_x == 4 && block_size_z == 1", ";W=4x"},
          Case{"rules", "block_size_x == 8", ";G=8x"},
          Case{"reuse-distance", "pattern_2 == 'block2'", ",block2;"},
          Case{"local-size", "block_size_x == 8", ";G=8x"}}) {
        CAPTURE(strategy);
        const json found = json_of(tune_where({"--strategy", strategy, "--budget", "5", "--top",
                                               "0", "--store", store, "--where", where}));
        CHECK(found["where"]["kept"] < found["space"]);
        CHECK(found["evaluated"] > 0);
        CHECK(found["evaluated"].get<int>() + found["pruned"].get<int>() <=
              found["where"]["kept"].get<int>());
        CHECK(found["ranking"].size() == found["evaluated"].get<std::size_t>());
        for (const json& row : found["ranking"]) {
            CHECK_THAT(row["config"].get<std::string>(), Contains(part));
        }
        CHECK(json_of({"simulate", "--timed", "--op", "matmul", "--shape", "40,32,24", "--device",
                       "adreno-640", "--config",
                       found["ranking"][0]["config"].get<std::string>()})["ns"]
                  .get<double>() == Approx(found["ranking"][0]["cost_ns"].get<double>()));
    }
    // The store keeps no trace of the condition: another one that leaves the same finds it all
    // there.
    const Words few{"--strategy", "simulate", "--store", store, "--where"};
    Words one = few, same = few;
    one.emplace_back("tile_x == 8 and tile_y == 8 and block_size_x == 4 and pattern_1 == 'row'");
    same.emplace_back("pattern_1 == 'row' && !(tile_x != 8 || tile_y != 8) && block_size_x == 4");
    const json first = json_of(tune_where(one));
    const json again = json_of(tune_where(same));
    CHECK(again["from_store"] == first["evaluated"]);
    CHECK(again["ranking"] == first["ranking"]);
    CHECK(first["evaluated"] == first["where"]["kept"]);
}

TEST_CASE("sweep --where draws from what is left, for every operator and device")
{
    const TemporaryFolder folder;
    const auto sweep = [&](const std::string& store, const Words& more) {
        return Words{"sweep",    folder.file(store), "--op",     "matmul 24,20,12",
                     "--op",     "softmax 30,40",    "--device", "adreno-640",
                     "--device", "mali-g77",         "--budget", "5"} +
               more;
    };
    const json all = json_of(sweep("all.sqlite", {}));
    CHECK_FALSE(all.contains("where"));
    const json some =
        json_of(sweep("some.sqlite", {"--where", "tile_y <= 2 and pattern_1 != 'column'"}));
    CHECK(some["judged"] == 20);
    CHECK(some["digest"] != all["digest"]);
    CHECK(some["where"]["kept"] > 20);
    CHECK(some["where"]["kept"] < some["space"]);
    const json listed = json_of({"results", "list", folder.file("some.sqlite")});
    for (const json& row : listed["results"]) {
        const auto config = row["config"].get<std::string>();
        CAPTURE(config);
        CHECK_FALSE(config.starts_with("A=column"));
        CHECK(std::stoi(config.substr(config.find('x', config.find("T=")) + 1)) <= 2);
    }
    CHECK_THAT(
        run_program(sweep("some.sqlite", {"--where", "tile_y <= 2 and pattern_1 != 'column'"}))
            .output,
        Contains("by --where") && Contains("20 from the store"));
    refused(sweep("none.sqlite", {"--where", "pattern_2 == 'row'"}), "softmax 30,40: condition");
    refused(sweep("none.sqlite", {"--where", "tile_x == 3"}),
            "matmul 24,20,12 on adreno-640: none of");
}

TEST_CASE("Bad conditions are told in one line before anything else is done")
{
    refused(tune_where({"--where", "tile_x = 4"}), "column 8: = compares nothing; write ==");
    refused(tune_where({"--where", "tile_w == 4"}),
            "there is no parameter 'tile_w'; parameters are pattern_1, pattern_2, tile_x");
    refused(tune_where({"--where", "pattern_1 == row"}), "put it in quotes");
    refused(tune_where({"--where", "tile_x ==\n@"}), "column 11: '@' means nothing here");
    refused(tune_where({"--where", ""}), "the condition is empty");
    refused(tune_where({"--where", "8 / tile_z == 1", "--variant", "bottleneck"}),
            "column 3: this divides by zero");
    refused(
        tune_where({"--where", "tile_x == 4", "--where", "tile_x == 8", "--variant", "bottleneck"}),
        "--strategy shortlist: none of ");
    refused(tune_where({"--where", "tile_x == 3", "--strategy", "random"}),
            "--strategy random: none of ");
    CHECK_THAT(run_program({"tune", "--help"}).output, Contains("--where EXPR"));
    CHECK_THAT(run_program({"sweep", "--help"}).output, Contains("--where EXPR"));
}
