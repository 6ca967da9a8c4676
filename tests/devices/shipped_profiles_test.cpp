#include "devices/builtin_profiles.hpp"
#include "devices/device_profile.hpp"
#include "traces/error.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace texelscope;
using Catch::Matchers::Contains;

TEST_CASE("the shipped profiles are there, by name in ascending order")
{
    const auto names = profile_names();
    CHECK(std::is_sorted(names.begin(), names.end()));
    for (const char* name : {"adreno-640", "adreno-740", "mali-g77", "mali-g77-tmmodel", "pocl-cpu"}) {
        CHECK(std::count(names.begin(), names.end(), name) == 1);
    }
    CHECK(names.size() == builtin_profiles().size());
    CHECK_THROWS_WITH(find_profile("adreno-6400"), Contains("adreno-640,") && Contains("pocl-cpu"));
}

TEST_CASE("every shipped profile gives every key of a device, each with a source")
{
    // These belong to a kernel or to a run, or say how random replacement is seeded.
    const std::set<std::string> not_of_a_device{
        "registers.per_item", "occupancy", "mode", "misses.kinds", "jump", "l1.seed", "alu.cycles_per_step", "l2.seed"};
    for (const std::string& name : profile_names()) {
        INFO(name);
        const DeviceProfile profile = find_profile(name);
        CHECK(profile.name == name);
        CHECK_FALSE(profile.description.empty());
        CHECK_NOTHROW(validate(profile.simulation));
        for (const Setting& setting : profile_keys()) {
            INFO(setting.key);
            CHECK(profile.values.contains(setting.key) != not_of_a_device.contains(setting.key));
        }
        for (const auto& [key, value] : profile.values) {
            INFO(key);
            CHECK(value.source.size() > 3);
        }
        CHECK(parse_profile(to_xml(profile), name) == profile);
    }
}

TEST_CASE("the Adreno 740's profile points to the published layout of its generation")
{
    const DeviceProfile profile = find_profile("adreno-740");
    CHECK(to_string(profile.simulation.layout) == "4x4:morton,2x4:row,row");
    const std::string name = "adreno-a6xx-a7xx-tile3-8ch";
    CHECK_THAT(profile.values.at("layout").source, Contains("layout=" + name));
    CHECK(parse_layout(name) == LayoutSpec(NamedLayout{name}));
}

TEST_CASE("the Adreno 640's profile has what its publications say")
{
    const SimulationOptions options = find_profile("adreno-640").simulation;
    CHECK(options.l1.capacity == Bytes{1024});
    CHECK(options.l1.line == Bytes{32});
    CHECK(options.l1.sets() == 2);
    CHECK(options.l2.capacity == Bytes{128 * 1024});
    // 130.1 ns at 585 MHz, to the nearest cycle.
    CHECK(static_cast<double>(options.timing.hit_latency.value) == Approx(130.1 * 585 / 1000).margin(0.5));
    CHECK(options.registers_per_core * 4 == 294912);
}

TEST_CASE("the two Mali-G77 profiles differ where their sources do")
{
    const SimulationOptions datasheet = find_profile("mali-g77").simulation;
    SimulationOptions paper = find_profile("mali-g77-tmmodel").simulation;
    CHECK(datasheet.l1.capacity == Bytes{32768});
    CHECK(paper.l1.capacity == Bytes{8192});
    CHECK(datasheet.warp_size * datasheet.warps_per_core == paper.warp_size * paper.warps_per_core);
    paper.l1.capacity = datasheet.l1.capacity;
    paper.warp_size = datasheet.warp_size;
    paper.warps_per_core = datasheet.warps_per_core;
    CHECK(paper == datasheet);
}
