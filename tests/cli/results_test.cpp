// results: a store from the command line, filled with committed measurements.

#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

constexpr const char* pairs = TEXELSCOPE_MEASUREMENTS "/h100-matmul-pattern-pairs-1024.jsonl";
constexpr const char* blocks = TEXELSCOPE_MEASUREMENTS "/h200-local-blocks.jsonl";

std::size_t lines(const std::string& text)
{
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

TEST_CASE("results: measurements are imported, listed, filtered")
{
    const TemporaryFolder folder;
    const std::string store = folder.file("store");
    const json first = json_of({"results", "import", store, pairs});
    CHECK(first["schema"] == "texelscope.results/1");
    CHECK(first["added"] == 25);
    CHECK(first["total"] == 25);
    const auto runs = lines(read_file(blocks));
    const json second = json_of({"results", "import", store, blocks});
    CHECK(second["added"] == runs);
    const json again = json_of({"results", "import", store, blocks});
    CHECK(again["added"] == 0);
    CHECK(again["kept"] == runs);
    CHECK(again["total"] == 25 + runs);

    const json all = json_of({"results", "list", store});
    CHECK(all["total"] == 25 + runs);
    CHECK(all["results"].size() == 25 + runs);
    CHECK(all["results"][0]["ns"]["samples"].size() >= 7);
    const json h100 = json_of({"results", "list", store, "--device", "NVIDIA H100 80GB HBM3",
                               "--op", "matmul", "--shape", "1024,1024,1024", "--judge", "device"});
    CHECK(h100["results"].size() == 25);
    CHECK(json_of({"results", "list", store, "--judge", "model"})["results"].empty());
    CHECK(json_of({"results", "list", store, "--device", "NVIDIA H200"})["results"].size() == runs);

    const ProgramResult text =
        run_program({"results", "list", store, "--device", "NVIDIA H100 80GB HBM3"});
    CHECK(text.exit_code == 0);
    CHECK_THAT(text.output, Contains("A=block2,row;T=8x8;W=8x4;G=16x16x1") &&
                                Contains("25 of " + std::to_string(25 + runs) + " results"));
    CHECK(run_program({"results", "list", store, "--op", "conv2d"}).output ==
          "0 of " + std::to_string(25 + runs) + " results\n");
}

TEST_CASE("results: what is exported is imported again, and stores are merged")
{
    const TemporaryFolder folder;
    const std::string store = folder.file("store");
    REQUIRE(run_program({"results", "import", store, pairs}).exit_code == 0);
    const std::string cache = folder.file("cache.json");
    const std::string t4 = folder.file("t4.json");
    const std::string csv = folder.file("rows.csv");
    const json written =
        json_of({"results", "export", store, "--kernel-tuner", cache, "--t4", t4, "--csv", csv});
    CHECK(written["exported"] == 25);
    CHECK(written["files"] == json::array({cache, t4, csv}));
    CHECK(lines(read_file(csv)) == 26);
    CHECK(json::parse(read_file(cache))["cache"].size() == 25);
    CHECK(json::parse(read_file(t4))["results"].size() == 25);
    const json rows = json_of({"results", "list", store})["results"];
    for (const std::string& file : {cache, t4}) {
        const std::string other = file + ".store";
        CHECK(json_of({"results", "import", other, file})["added"] == 25);
        CHECK(json_of({"results", "list", other})["results"] == rows);
    }

    REQUIRE(run_program({"results", "import", folder.file("more"), blocks}).exit_code == 0);
    const auto runs = lines(read_file(blocks));
    const json merged = json_of(
        {"results", "merge", folder.file("all"), store, folder.file("more"), cache + ".store"});
    CHECK(merged["added"] == 25 + runs);
    CHECK(merged["kept"] == 25);
    CHECK(merged["total"] == 25 + runs);
    const ProgramResult text = run_program({"results", "merge", folder.file("all"), store});
    CHECK(text.output == "0 results added, 0 replaced by later ones, 25 were there; " +
                             std::to_string(25 + runs) + " in all\n");
}

TEST_CASE("results: bad input is one line, and changes nothing")
{
    const TemporaryFolder folder;
    const std::string store = folder.file("store");
    REQUIRE(run_program({"results", "import", store, pairs}).exit_code == 0);
    REQUIRE(run_program({"results", "import", store, blocks}).exit_code == 0);
    const std::string text = folder.write("text", "no database, and no JSON either\n");
    const std::string none = folder.file("none");
    const auto entries = folder.entries();
    const std::string before = read_file(store);

    refused({"results"}, "A subcommand is required");
    refused({"results", "list"}, "store is required");
    refused({"results", "list", none}, "no such store");
    refused({"results", "list", text}, "not a database");
    refused({"results", "export", store}, "nothing says where to");
    refused({"results", "export", store, "--t4", none}, "differ in");
    refused({"results", "export", store, "--t4", none, "--op", "conv2d"}, "no result is chosen");
    refused({"results", "export", store, "--csv", folder.file("no/where"), "--quiet"}, "no/where");
    refused({"results", "import", none, text}, "holds no results");
    refused({"results", "import", none, folder.file("")}, "this is a folder");
    refused({"results", "import", none, folder.file("nothing.json")}, "cannot open the file");
    refused({"results", "import", text, pairs}, "not a database");
    refused({"results", "merge", store, none}, "no such store");
    refused({"results", "merge", none, store, text}, "this holds no results");
    CHECK(folder.entries() == entries);
    CHECK(read_file(store) == before);
}
