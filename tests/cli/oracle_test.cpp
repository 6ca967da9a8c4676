// `simulate --json` on a CSV trace against the independent simulator of tests/sim: the whole way
// from text to text.

#include "sim/options/settings.hpp"
#include "tests/cli/program.hpp"
#include "tests/sim/oracle.hpp"
#include "tests/sim/random_case.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace texelscope::sim;
using namespace texelscope::test;
using nlohmann::json;

namespace {

constexpr int oracle_cases = 500; ///< of each of the four tests, which run side by side

json counters(const CacheStatistics& s)
{
    return {{"lookups", s.lookups},     {"hits", s.hits},
            {"misses", s.misses()},     {"compulsory", s.compulsory},
            {"capacity", s.capacity},   {"conflict", s.conflict},
            {"evictions", s.evictions}, {"bytes_filled", s.bytes_filled.value}};
}

/// A random case whose images share one address mode, as the command line's do.
SimulationCase command_line_case(std::uint64_t seed)
{
    Random random(seed);
    SimulationCase c = random_case(random);
    for (Image& image : c.images) {
        image.address_mode = c.images.front().address_mode;
    }
    return c;
}

std::vector<std::string> command(const SimulationCase& c, const TemporaryFolder& folder)
{
    std::string csv = "group,item,step,image,x,y\n";
    for (const TraceRow& row : c.rows) {
        csv += fmt::format("{},{},{},{},{},{}\n", row.group, row.item, row.step,
                           c.images[row.image].name, row.texel.x, row.texel.y);
    }
    std::vector<std::string> words{
        "simulate", folder.write("trace.csv", csv), "--json", "--address",
        c.images.front().address_mode == AddressMode::edge ? "edge" : "border"};
    for (const Image& image : c.images) {
        words.emplace_back("--image");
        words.push_back(fmt::format("{}:{}x{}x{}", image.name, image.extent.width,
                                    image.extent.height, image.bytes_per_texel.value));
    }
    for (const Setting& setting : settings()) {
        words.emplace_back("--set");
        words.push_back(setting.key + "=" + get(c.options, setting.key));
    }
    return words;
}

void run_cases(std::uint64_t first_seed)
{
    for (std::uint64_t seed = first_seed; seed < first_seed + oracle_cases; ++seed) {
        const TemporaryFolder folder;
        const SimulationCase c = command_line_case(seed);
        const SimulationResult want = oracle_simulate(c.images, c.rows, c.options).counters;
        const ProgramResult got = run_program(command(c, folder));
        CAPTURE(seed, got.errors);
        REQUIRE(got.exit_code == 0);
        json value = json::parse(got.output);
        const json texel_reads = value["l1"]["texel_reads"];
        value["l1"].erase("texel_reads");
        INFO(describe(c));
        REQUIRE(texel_reads == want.l1.texel_reads);
        REQUIRE(value["l1"] == counters(want.l1));
        REQUIRE(value["l2"] == counters(want.l2()));
        REQUIRE(value["memory"]["bytes"] == want.memory_bytes.value);
        REQUIRE(value["occupancy_groups"] == want.occupancy_groups);
        REQUIRE(value["launch"]["groups"] == want.groups);
        REQUIRE(value["launch"]["warps"] == want.warps);
        REQUIRE(value["launch"]["steps"] == want.steps);
    }
}

} // namespace

TEST_CASE("simulate --json on random CSV traces agrees with the oracle, first quarter")
{
    run_cases(10'000);
}
TEST_CASE("simulate --json on random CSV traces agrees with the oracle, second quarter", "[long]")
{
    run_cases(20'000);
}
TEST_CASE("simulate --json on random CSV traces agrees with the oracle, third quarter", "[long]")
{
    run_cases(30'000);
}
TEST_CASE("simulate --json on random CSV traces agrees with the oracle, fourth quarter", "[long]")
{
    run_cases(40'000);
}
