// Machines with a level of cache beside L1 and L2, or two: against the plain second simulator, the
// one that steps through time, and closed forms.

#include "base/error.hpp"
#include "sim/options/settings.hpp"
#include "tests/sim/differences.hpp"
#include "tests/sim/reference_timing.hpp"
#include "tests/sim/result_difference.hpp"
#include "tests/sim/timed_case.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace texelscope::base;
using namespace texelscope::sim;
using namespace texelscope::test;
using Catch::Matchers::Contains;

TEST_CASE("with a level more, hits and misses are those of a plain second simulator")
{
    std::int64_t own = 0;
    std::int64_t shared = 0;
    for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
        Random random(seed);
        SimulationCase c = random_case(random);
        add_level(seed + 100'000, c.options);
        const std::string text = differences(c);
        const SimulationCase small = text.empty() ? c : shrunk(c);
        INFO("seed " << seed << "\n"
                     << (text.empty() ? "" : differences(small)) << describe(small));
        REQUIRE(text == "");
        const SimulationResult result = simulate(*c.source(), c.options);
        for (const CacheLevel& level : c.options.machine.caches) {
            if (level.name != "L1" && level.name != "L2") {
                (level.shared ? shared : own) += result.level(level.name).hits;
            }
        }
    }
    CHECK(own > 1000); // the cases reach what they are meant to reach
    CHECK(shared > 1000);
}

TEST_CASE("with a level more, launches that are jumped over have the same counts")
{
    int jumped = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        Random random(seed);
        LaunchCase c = random_launch_case(random);
        add_level(seed + 200'000, c.options);
        const LaunchComparison comparison = compare(c);
        INFO("seed " << seed << "\n" << describe(c));
        REQUIRE(comparison.differences == "");
        jumped += comparison.simulated_steps < comparison.steps ? 1 : 0;
    }
    CHECK(jumped > 10);
}

TEST_CASE("with a level more, the timed mode agrees with a simulator that steps through time")
{
    std::int64_t own = 0;
    for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
        SimulationCase c = quarter_cycle_case_with_level(seed);
        for (Image& image : c.images) {
            image.address_mode = AddressMode::edge;
        }
        INFO("seed " << seed << "\n" << describe(c));
        const ReferenceTiming want = reference_timing(c);
        const SimulationResult got = simulate(*c.source(), c.options);
        REQUIRE(got.cycles == Cycles{want.cycles});
        for (std::size_t core = 0; core < want.cores.size(); ++core) {
            REQUIRE(got.cores[core].cycles.value == want.cores[core].cycles);
            REQUIRE(got.cores[core].stalls == want.cores[core].stalls);
            REQUIRE(got.cores[core].reservation_failures == want.cores[core].failures);
        }
        for (const CacheLevel& level : c.options.machine.caches) {
            own += level.name != "L1" && !level.shared ? got.level(level.name).lookups : 0;
        }
    }
    CHECK(own > 1000);
}

TEST_CASE("a read that finds its line in the second of three levels takes that level's latency")
{
    SimulationCase c = burst({{0, 0}, {1, 0}, {0, 0}});
    c.options.machine.l1().geometry = {.capacity = Bytes{16}, .line = Bytes{16}}; // one line
    c.options.machine.caches.insert(c.options.machine.caches.begin() + 1,
                                    {.name = "L1b",
                                     .geometry = {.capacity = Bytes{64}, .line = Bytes{16}},
                                     .latency = Cycles{130},
                                     .bytes_per_cycle = 1e6});
    c.options.kernel.occupancy = 1; // one after the other
    CHECK(cycles_of(c) == 310 + 310 + 130);
    CHECK(simulate(*c.source(), c.options).level("L1b").hits == 1);
    CHECK(simulate(*c.source(), c.options).memory_bytes == Bytes{32});
    c.options.machine.caches[1].geometry.capacity = Bytes{0}; // taken out
    CHECK(cycles_of(c) == 310 + 310 + 310);
}

TEST_CASE("keys of a further level make it, move it and are listed with those of the machine")
{
    SimulationOptions o;
    set(o, "level.SLC.capacity", "2097152");
    CHECK(o.machine.caches[1].name == "SLC");
    CHECK_THROWS_WITH(validate(o), Contains("level.SLC.latency"));
    set(o, "level.SLC.latency", "160");
    set(o, "level.SLC.bandwidth", "48");
    CHECK(get(o, "level.SLC.behind") == "L1");
    CHECK(get(o, "level.SLC.shared") == "no");
    CHECK_NOTHROW(validate(o));
    set(o, "level.SLC.behind", "L2");
    CHECK(get(o, "level.SLC.behind") == "L2");
    CHECK(o.machine.last_level().name == "SLC");
    CHECK_THROWS_WITH(validate(o), Contains("level.SLC") && Contains("shared"));
    set(o, "level.SLC.shared", "yes");
    CHECK_NOTHROW(validate(o));
    SimulationOptions copy;
    for (const Setting& setting : settings(o.machine)) {
        set(copy, setting.key, get(o, setting.key));
        CHECK(setting_of(setting.key).unit == setting.unit);
    }
    CHECK(copy == o);
    CHECK(settings(SimulationOptions{}.machine).size() == settings().size());
    for (const std::string key :
         {"level.L2.capacity", "level.slc.capacity", "level..capacity", "level.A_B.line"}) {
        INFO(key);
        CHECK_THROWS_WITH(set(o, key, "64"), Contains("cannot be called"));
    }
    CHECK_THROWS_WITH(set(o, "level.SLC.capcity", "64"), Contains("level.SLC.capacity"));
    CHECK_THROWS_WITH(set(o, "level.SLC.behind", "L7"), Contains("L7") && Contains("L1, L2"));
    CHECK_THROWS_WITH(set(o, "level.SLC.behind", "SLC"), Contains("SLC"));
    CHECK_THROWS_AS(get(o, "level.L9.capacity"), Error);
    CHECK_THROWS_AS(set(o, "level.L9.capacity", "much"), Error);
    CHECK(copy == o); // nothing of all that has changed it
}
