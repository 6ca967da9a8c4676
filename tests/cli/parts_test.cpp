// --parts of tune and sweep: which parts of a configuration differ in what they try.

#include "codegen/nest/schedule_parts.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "tests/cli/checked_program.hpp"
#include "workbench/space/searched_parts.hpp"
#include "workbench/tuning/priced_parts.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace texelscope::test;
using namespace texelscope::workbench::tuning;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const char* const parts_shape = "40,32,24";
const Words parts_matmul{"--op", "matmul", "--shape", parts_shape, "--device", "adreno-640"};

json tuned(const Words& more)
{
    return json_of(Words{"tune"} + parts_matmul + more);
}

std::string letters(const json& parts)
{
    std::string text;
    for (const auto& part : parts) {
        text += part.get<std::string>();
    }
    return text;
}

/// Letters of the parts in which some configuration is not as the operator's default.
std::set<char> changed(const Operator& op, const std::vector<std::string>& configurations)
{
    std::set<char> parts;
    for (const std::string& text : configurations) {
        const Schedule schedule = parse_schedule(text);
        for (const SchedulePart& part : schedule_parts()) {
            if (part.write(schedule) != part.write(op.default_schedule)) {
                parts.insert(part.key);
            }
        }
    }
    return parts;
}

std::vector<std::string> configurations_of(const json& rows)
{
    std::vector<std::string> texts;
    for (const auto& row : rows) {
        texts.push_back(row["config"].get<std::string>());
    }
    return texts;
}

} // namespace

TEST_CASE("tune --parts varies the named parts, all others are the operator's defaults")
{
    const Operator op = parse_operator("matmul", parts_shape);
    const json paper = tuned({"--strategy", "model", "--top", "0"});
    CHECK(letters(paper["parts"]) == "ATWG");
    CHECK(paper["ranking"].size() == paper["space"].get<std::size_t>());
    const json tiles = tuned({"--strategy", "model", "--top", "0", "--parts", "G,T"});
    CHECK(letters(tiles["parts"]) == "GT");
    CHECK(tiles["space"].get<long>() < paper["space"].get<long>());
    // The warp shape follows from the group where it is not searched.
    CHECK(changed(op, configurations_of(tiles["ranking"])) == std::set<char>{'T', 'W', 'G'});
    // Each of these is in the larger space as well, with the same cost.
    std::map<std::string, double> costs;
    for (const auto& row : paper["ranking"]) {
        costs[row["config"]] = row["cost_ns"];
    }
    // where the warp shape is not searched it is the group, which may be larger than a warp
    int both = 0;
    for (const auto& row : tiles["ranking"]) {
        const std::string config = row["config"];
        CAPTURE(config);
        if (costs.contains(config)) {
            CHECK(costs[config] == row["cost_ns"].get<double>());
            ++both;
        }
    }
    CHECK(both > 20);

    const json wide = tuned({"--strategy", "descent", "--top", "0", "--parts", "A,T,W,G,R,V"});
    CHECK(letters(wide["parts"]) == "ATWGRV");
    CHECK(wide["space"].get<long>() > paper["space"].get<long>());
    CHECK(wide["evaluated"].get<long>() < wide["space"].get<long>());
    const std::set<char> parts = changed(op, configurations_of(wide["ranking"]));
    CHECK(parts.contains('R'));
    CHECK(parts.contains('V'));
    for (const char key : std::string("LUSMP")) {
        CHECK_FALSE(parts.contains(key));
    }
    CHECK(wide["ranking"][0]["cost_ns"].get<double>() <=
          paper["ranking"][0]["cost_ns"].get<double>());
}

TEST_CASE("Without --parts tune searches what both judges price, by the variant that judges best")
{
    for (const char* rows : {"1,768,3072", "40,32,24"}) {
        const Operator op = parse_operator("matmul", rows);
        const json found = json_of({"tune", "--op", "matmul", "--shape", rows, "--device",
                                    "mali-g77", "--strategy", "descent"});
        CHECK(letters(found["parts"]) == priced_parts(op, find_profile("mali-g77")));
        CHECK(found["variant"] == "bottleneck");
        CHECK(letters(found["parts"]).find('P') == std::string::npos);
    }
    CHECK(letters(tuned({"--strategy", "descent", "--parts", "all"})["parts"]) ==
          parse_parts("all"));
}

TEST_CASE("What is searched and has no price is counted, with the reason of one")
{
    // The variants of the paper know images alone.
    const json found = tuned(
        {"--strategy", "descent", "--parts", "A,T,W,G,M", "--variant", "refined", "--top", "0"});
    CHECK(found["not_priced"].get<long>() > 0);
    for (const std::string& config : configurations_of(found["ranking"])) {
        const Schedule schedule = parse_schedule(config);
        CHECK((schedule.memory_of(0) == Memory::image && schedule.memory_of(1) == Memory::image));
    }
    CHECK_THAT(
        run_program(Words{"tune"} + parts_matmul +
                    Words{"--strategy", "descent", "--parts", "A,T,W,G,M", "--variant", "refined"})
            .output,
        Contains("not priced, e.g. ") && Contains("buffers"));
}

TEST_CASE("tune --parts says on one line what is wrong with it")
{
    const auto with = [](const char* parts) {
        return Words{"tune"} + parts_matmul + Words{"--parts", parts};
    };
    refused(with("A,X"), "'X' is no part to search");
    refused(with("AT"), "'AT' is no part to search");
    refused(with("A,T,A"), "the part A occurs twice");
    refused(with("A,,T"), "'' is no part to search");
    for (const char* strategy : {"rules", "reuse-distance", "local-size", "mnn", "as-mnn"}) {
        refused(with("A,T") + Words{"--strategy", strategy}, "the strategy has a space of its own");
    }
    refused(with("A,T") + Words{"--list-baselines"}, "--parts");
}

TEST_CASE("sweep --parts draws from the named parts alone")
{
    const TemporaryFolder folder;
    const auto swept = [&](const std::string& store, const Words& more) {
        return json_of(Words{"sweep", store, "--op", "matmul 24,20,12", "--op",
                             "dwconv2d 1,8,8,8,3,3,1", "--device", "adreno-640", "--budget", "12"} +
                       more);
    };
    const auto parts_changed = [&](const std::string& store, const char* name, const char* sizes) {
        const Operator op = parse_operator(name, sizes);
        std::vector<std::string> configurations;
        const json listed = json_of({"results", "list", store});
        for (const auto& row : listed["results"]) {
            if (row["op"] == name) {
                configurations.push_back(row["config"]);
            }
        }
        CHECK(configurations.size() == 12);
        return changed(op, configurations);
    };
    const std::string few = folder.file("few.sqlite");
    const json restricted = swept(few, {"--parts", "T,V"});
    CHECK(letters(restricted["parts"]) == "TV");
    for (const auto& [op, sizes] :
         {std::pair{"matmul", "24,20,12"}, std::pair{"dwconv2d", "1,8,8,8,3,3,1"}}) {
        const std::set<char> parts = parts_changed(few, op, sizes);
        CHECK(parts.contains('T'));
        CHECK(parts.contains('V'));
        for (const char key : std::string("ALURSMP")) {
            CHECK_FALSE(parts.contains(key));
        }
    }
    const std::string more = folder.file("more.sqlite");
    swept(more, {});
    CHECK(parts_changed(more, "matmul", "24,20,12").contains('A'));
    CHECK_FALSE(parts_changed(more, "matmul", "24,20,12").contains('P'));

    const Words command{"sweep", folder.file("none.sqlite"), "--op", "matmul 24,20,12", "--parts"};
    refused(command + Words{"A,Q"}, "'Q' is no part to search");
    refused(command + Words{"T,T"}, "the part T occurs twice");
}
