// Heat maps, ranges of accesses and touches of a texel, from the command line.

#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const Words simulate_map{"simulate", "--op",  "matmul",          "--shape",
                         "37,53,29", "--set", "l1.capacity=1024"};

/// Sum of the last column; `rows` counts them.
std::int64_t last_column(const std::string& csv, std::size_t& rows)
{
    std::istringstream in(csv);
    std::string line;
    std::getline(in, line);
    std::int64_t sum = 0;
    for (rows = 0; std::getline(in, line); ++rows) {
        sum += std::stoll(line.substr(line.rfind(',') + 1));
    }
    return sum;
}

} // namespace

TEST_CASE("Heat maps of every quantity add up to the counters, at every resolution")
{
    const TemporaryFolder folder;
    const std::string file = folder.file("m.csv");
    for (const char* quantity : {"misses", "compulsory", "capacity", "conflict", "evictions"}) {
        for (const char* resolution : {"texel", "line", "block:4x3"}) {
            std::int64_t sum = 0;
            json result;
            for (const char* image : {"A", "B"}) {
                result = json_of(simulate_map + Words{"--heatmap", file, "--heatmap-of", quantity,
                                                      "--heatmap-at", resolution, "--heatmap-image",
                                                      image});
                std::size_t rows = 0;
                sum += last_column(read_file(file), rows);
                CHECK(rows <= result["heatmap"]["cells"].get<std::size_t>());
                CHECK(result["heatmap"]["at"] == resolution);
            }
            CAPTURE(quantity, resolution);
            CHECK(sum == result["l1"][quantity].get<std::int64_t>());
        }
    }
}

TEST_CASE(
    "A range of all steps gives the same map and counters as no range, and parts of it add up")
{
    const TemporaryFolder folder;
    const std::string file = folder.file("m.csv");
    const auto map = [&](const Words& range) {
        const json result = json_of(simulate_map + Words{"--heatmap", file} + range);
        std::size_t rows = 0;
        return std::tuple(read_file(file), result["l1"], last_column(read_file(file), rows));
    };
    const auto [all, counters, total] = map({});
    const auto [steps, same_counters, same_total] = map({"--steps", "0:1000000"});
    CHECK(all == steps);
    CHECK(counters == same_counters);
    CHECK(std::get<2>(map({"--steps", ":9"})) + std::get<2>(map({"--steps", "9:"})) == total);
    CHECK(std::get<2>(map({"--accesses", "0:50"})) +
              std::get<2>(map({"--accesses", "50:1000000"})) ==
          total);
    CHECK(std::get<1>(map({"--accesses", "0:50"})) == counters);
    const ProgramResult beyond =
        run_program(simulate_map + Words{"--heatmap", file, "--steps", "900000:900001"});
    CHECK(beyond.exit_code == 0);
    CHECK_THAT(beyond.errors, Contains("the map is empty"));
}

TEST_CASE("A map of reuse says nothing where there is none")
{
    const TemporaryFolder folder;
    const std::string trace = folder.write(
        "t.csv", "#image A:8x1x64\ngroup,item,step,image,x,y\n"
                 "0,0,0,A,0,0\n0,0,1,A,1,0\n0,0,2,A,2,0\n0,0,3,A,0,0\n0,0,4,A,0,0\n0,0,5,A,1,0\n");
    const std::string file = folder.file("m.csv");
    (void)json_of({"simulate", trace, "--set", "l1.line=64", "--set", "cores=1", "--heatmap", file,
                   "--heatmap-of", "reuse"});
    // Texel 0 comes again after two others, then at once; texel 1 after two others (2 and 0).
    CHECK(read_file(file) == "x,y,mean,count\n0,0,1,2\n1,0,2,1\n");
    (void)json_of({"simulate", trace, "--set", "l1.line=64", "--set", "cores=1", "--heatmap", file,
                   "--heatmap-of", "reuses"});
    CHECK(read_file(file) == "x,y,count\n0,0,2\n1,0,1\n");
}

TEST_CASE("Who touched a texel, when, and what it met")
{
    const TemporaryFolder folder;
    // One line of 64 B fits: each other texel throws it out.
    const std::string trace =
        folder.write("t.csv", "#image A:8x1x64\ngroup,item,step,image,x,y\n"
                              "0,0,0,A,0,0\n0,0,1,A,1,0\n0,0,2,A,0,0\n0,0,3,A,0,0\n0,1,3,A,0,0\n");
    const Words arguments{"simulate",       trace,           "--set",     "l1.line=64", "--set",
                          "l1.capacity=64", "--set",         "l1.ways=1", "--set",      "cores=1",
                          "--set",          "l2.capacity=0", "--touches", "A:0,0"};
    const json touches = json_of(arguments)["touches"];
    CHECK(touches["count"] == 3);
    CHECK(touches["not_listed"] == 0);
    const json list = touches["list"];
    REQUIRE(list.size() == 3);
    CHECK(list[0]["lookups"][0]["l1"] == "compulsory");
    CHECK(list[0]["lookups"][0]["evicted"].is_null());
    CHECK(list[1]["step"] == 2);
    CHECK(list[1]["access"] == 2);
    CHECK(list[1]["lookups"][0]["l1"] == "capacity");
    CHECK(list[1]["lookups"][0]["evicted"]["texel"] == std::vector<int>{1, 0});
    CHECK(list[2]["lookups"][0]["l1"] == "hit");
    REQUIRE(list[2]["lanes"].size() == 2);
    CHECK(list[2]["lanes"][1]["item"] == 1);
    CHECK(json_of(arguments + Words{"--steps", "2:3"})["touches"]["count"] == 1);

    const ProgramResult text = run_program(arguments + Words{"--limit", "1"});
    CHECK(text.exit_code == 0);
    CHECK_THAT(text.output,
               Contains("3 warp accesses read texel A:0,0") && Contains("and 2 more (--limit)"));
}

TEST_CASE("Touches name the work-item of a launch, and the whole line has those of its texels")
{
    const Words launch =
        simulate_map +
        Words{"--config", "A=row,row;T=4x4;G=8x8", "--set", "layout=row", "--limit", "100000"};
    std::int64_t of_texels = 0;
    std::int64_t line = 0;
    for (const char* texel : {"A:0,0", "A:1,0"}) { // 32 B lines hold two texels of 16 B
        const json touches =
            json_of(launch + Words{"--set", "l1.line=32", "--touches", texel})["touches"];
        for (const json& touch : touches["list"]) {
            of_texels += static_cast<std::int64_t>(touch["lanes"].size());
        }
    }
    const json touches = json_of(
        launch + Words{"--set", "l1.line=32", "--touches", "A:1,0", "--touches-line"})["touches"];
    CHECK(touches["not_listed"] == 0);
    for (const json& touch : touches["list"]) {
        line += static_cast<std::int64_t>(touch["lanes"].size());
        for (const json& lane : touch["lanes"]) {
            const std::int64_t item = lane["item"];
            CHECK(lane["global_id"][0].get<std::int64_t>() % 8 == item % 8);
            CHECK(lane["global_id"][1].get<std::int64_t>() % 8 == item / 8);
            CHECK(lane["texel"][0].get<int>() < 2);
        }
    }
    CHECK(of_texels > 0);
    CHECK(line == of_texels);
}

TEST_CASE("Bad ranges, resolutions and texels are refused in one line")
{
    refused(simulate_map + Words{"--heatmap", "m.csv", "--steps", "5:2"},
            "--steps: '5:2' is empty");
    refused(simulate_map + Words{"--heatmap", "m.csv", "--steps", "3:3"}, "is empty");
    refused(simulate_map + Words{"--heatmap", "m.csv", "--accesses", "7"},
            "--accesses: '7' is no range");
    refused(simulate_map + Words{"--heatmap", "m.csv", "--accesses", "-1:4"}, "is no range");
    refused(simulate_map + Words{"--heatmap", "m.csv", "--steps", "a:b"}, "is no range");
    refused(simulate_map + Words{"--steps", "0:4"}, "for nothing");
    refused(simulate_map + Words{"--heatmap", "m.csv", "--heatmap-at", "4x4"},
            "'4x4' is no resolution");
    refused(simulate_map + Words{"--heatmap", "m.csv", "--heatmap-of", "warmth"},
            "'warmth' is not a heat map quantity");
    refused(simulate_map + Words{"--touches", "A"}, "is not IMAGE:X,Y");
    refused(simulate_map + Words{"--touches", "A:1,b"}, "is not IMAGE:X,Y");
    refused(simulate_map + Words{"--touches", "Z:1,1"}, "there is no image 'Z'; images are A, B");
    refused(simulate_map + Words{"--touches", "A:1000,0"}, "has no texel 1000,0");
    refused(simulate_map + Words{"--touches", "A:0,0", "--limit", "-1"}, "--limit");
}
