#include "sim/options/options.hpp"
#include "sim/simulate.hpp"
#include "tests/sim/random_case.hpp"
#include "tests/sim/result_difference.hpp"
#include "tests/traces/random_launch.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// A case whose replacement may also be random.
SimulationCase any_case(std::uint64_t seed)
{
    Random random(seed);
    SimulationCase c = random_case(random);
    if (random.one_in(3)) {
        c.options.machine.l1().geometry.replacement = ReplacementKind::random;
        c.options.machine.l1().geometry.seed = seed;
    }
    c.options.mode.timed = random.one_in(3);
    return c;
}

} // namespace

TEST_CASE("the same trace and options give the same result, every time")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const SimulationCase c = any_case(seed + 100'000);
        const auto source = c.source();
        const SimulationResult first = simulate(*source, c.options);
        INFO("seed " << seed << "\n" << describe(c));
        REQUIRE(result_difference(first, simulate(*source, c.options)).empty());
        SimulationCase shuffled = c; // the order of the rows in the file does not matter
        std::reverse(shuffled.rows.begin(), shuffled.rows.end());
        REQUIRE(result_difference(first, simulate(*shuffled.source(), c.options)).empty());
    }
}

TEST_CASE("counters add up in every result")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const SimulationCase c = any_case(seed + 200'000);
        const SimulationResult r = simulate(*c.source(), c.options);
        INFO("seed " << seed << "\n" << describe(c));
        for (const CacheStatistics& s : {r.l1, r.l2()}) {
            REQUIRE(s.hits + s.misses() == s.lookups);
            REQUIRE(s.evictions <= s.misses());
        }
        REQUIRE(r.l1.bytes_filled == c.options.machine.l1().geometry.granule() * r.l1.misses());
        REQUIRE(r.l1.texel_reads + r.border_reads == static_cast<std::int64_t>(c.rows.size()));
        REQUIRE(r.l2().texel_reads == 0);
        if (c.options.machine.has_l2()) {
            REQUIRE(r.l2().lookups == r.l1.misses());
            REQUIRE(r.l2().bytes_filled ==
                    c.options.machine.l2().geometry.granule() * r.l2().misses());
            REQUIRE(r.memory_bytes == r.l2().bytes_filled);
        } else {
            REQUIRE(r.l2() == CacheStatistics{});
            REQUIRE(r.memory_bytes == r.l1.bytes_filled);
        }
        CacheStatistics sum;
        std::int64_t warps = 0;
        std::int64_t occupancy_groups = 0;
        for (const CoreResult& core : r.cores) {
            sum += core.l1;
            warps += core.warps;
            occupancy_groups += core.occupancy_groups;
        }
        REQUIRE(sum == r.l1);
        REQUIRE(warps == r.warps);
        REQUIRE(occupancy_groups == r.occupancy_groups);
        REQUIRE(r.cores.size() == static_cast<std::size_t>(c.options.machine.cores));
        REQUIRE(r.cycles.has_value() == c.options.mode.timed);
    }
}

TEST_CASE("observers see each access once, then its lookups, and change nothing")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const SimulationCase c = any_case(seed + 300'000);
        Recorder recorder;
        Recorder second;
        std::vector<SimulationObserver*> observers{&recorder, &second};
        const SimulationResult watched = simulate(*c.source(), c.options, observers);
        INFO("seed " << seed << "\n" << describe(c));
        REQUIRE(result_difference(simulate(*c.source(), c.options), watched).empty());
        REQUIRE(second.accesses.size() == recorder.accesses.size());
        REQUIRE(second.lookups.size() == recorder.lookups.size());

        std::int64_t lanes = 0;
        std::set<std::int64_t> indices;
        std::set<std::tuple<std::int64_t, std::int32_t, std::uint32_t>> keys;
        for (std::size_t i = 0; i < recorder.accesses.size(); ++i) {
            const Recorder::Access& a = recorder.accesses[i];
            REQUIRE_FALSE(a.lanes.empty());
            REQUIRE(a.core == a.group % c.options.machine.cores);
            REQUIRE(indices.insert(a.access_index).second);
            REQUIRE(a.access_index == *indices.rbegin()); // in the order of the simulation
            REQUIRE(keys.insert({a.group, a.warp, a.step}).second);
            for (const LaneRead& lane : a.lanes) {
                REQUIRE(c.images[lane.image].extent.contains(lane.texel));
                REQUIRE(lane.lane < c.options.machine.warp_size);
            }
            lanes += static_cast<std::int64_t>(a.lanes.size());
            const std::size_t end = i + 1 < recorder.accesses.size()
                                        ? recorder.accesses[i + 1].lookups_before
                                        : recorder.lookups.size();
            REQUIRE(end > a.lookups_before); // a lane in the image needs a line
            for (std::size_t l = a.lookups_before; l < end; ++l) {
                const LookupEvent& e = recorder.lookups[l];
                REQUIRE(std::tuple(e.core, e.group, e.warp, e.step, e.access_index) ==
                        std::tuple(a.core, a.group, a.warp, a.step, a.access_index));
                REQUIRE(!e.behind.empty() == (!e.l1.hit() && c.options.machine.has_l2()));
            }
        }
        REQUIRE(lanes == watched.l1.texel_reads);
        REQUIRE(static_cast<std::int64_t>(recorder.lookups.size()) == watched.l1.lookups);
        REQUIRE(static_cast<std::int64_t>(recorder.accesses.size()) <= watched.steps);
    }
}

TEST_CASE("another storage layout changes no texel read")
{
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SimulationCase c = any_case(seed + 400'000);
        const SimulationResult before = simulate(*c.source(), c.options);
        Random random(seed);
        c.options.machine.layout = random_layout(random);
        const SimulationResult after = simulate(*c.source(), c.options);
        INFO("seed " << seed << "\n" << describe(c));
        REQUIRE(after.l1.texel_reads == before.l1.texel_reads);
        REQUIRE(after.border_reads == before.border_reads);
        REQUIRE(after.steps == before.steps);
        REQUIRE(after.warps == before.warps);
        REQUIRE(after.occupancy_groups == before.occupancy_groups);
    }
}

TEST_CASE("misses of a fully associative LRU L1 fall as its capacity grows")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SimulationCase c = any_case(seed + 500'000);
        c.options.mode.timed =
            false; // in timed mode the order of the accesses depends on the misses
        c.options.machine.l1().geometry = {
            .line = Bytes{64},
            .sector = c.options.machine.l1().geometry.sector.value > 0 ? Bytes{16} : Bytes{0}};
        std::int64_t last = std::numeric_limits<std::int64_t>::max();
        for (std::int64_t lines = 1; lines <= 64; lines *= 2) {
            c.options.machine.l1().geometry.capacity = Bytes{64 * lines};
            const SimulationResult r = simulate(*c.source(), c.options);
            INFO("seed " << seed << "\n" << describe(c));
            REQUIRE(r.l1.misses() <= last);
            REQUIRE(r.l1.conflict == 0);
            REQUIRE(r.l1.misses() >= r.l1.compulsory);
            last = r.l1.misses();
        }
    }
}

TEST_CASE("one warp that reads whole lines, column by column, reads each line once")
{
    // Four lanes of 16 bytes side by side fill one 64-byte line of a linear image; the steps walk
    // down.
    SimulationCase c;
    c.images = {{"A", {16, 20}}};
    c.options.machine.warp_size = 4;
    std::uint32_t step = 0;
    for (std::int32_t column = 0; column < 16; column += 4) {
        for (std::int32_t y = 0; y < 20; ++y, ++step) {
            for (std::int32_t lane = 0; lane < 4; ++lane) {
                c.rows.push_back({0, lane, step, 0, {column + lane, y}});
            }
        }
    }
    const SimulationResult r = simulate(*c.source(), c.options);
    CHECK(r.l1.texel_reads == 16 * 20);
    CHECK(r.l1.lookups == 4 * 20);
    CHECK(r.l1.compulsory == 4 * 20);
    CHECK(r.l1.hits == 0);
    CHECK(r.memory_bytes == Bytes{16 * 20 * 16});
    CHECK(r.steps == 80);
}

TEST_CASE("a warm-up is taken out by subtraction")
{
    // The same reads twice by one warp: the second half alone hits wherever the first half filled.
    SimulationCase c;
    c.images = {{"A", {8, 1}}};
    c.options.machine.warp_size = 1;
    for (std::int32_t x = 0; x < 8; ++x) {
        c.rows.push_back({0, 0, static_cast<std::uint32_t>(x), 0, {x, 0}});
    }
    const CacheStatistics cold = simulate(*c.source(), c.options).l1;
    for (std::int32_t x = 0; x < 8; ++x) {
        c.rows.push_back({0, 0, static_cast<std::uint32_t>(8 + x), 0, {x, 0}});
    }
    const CacheStatistics warm = simulate(*c.source(), c.options).l1 - cold;
    CHECK(cold.misses() == 2);
    CHECK(warm == CacheStatistics{.texel_reads = 8, .lookups = 8, .hits = 8});
}

TEST_CASE("occupancy groups are cut and packed as described")
{
    // Warps of one item; work-groups of 2, 1, 5, 1, 2 warps on a core that holds 3.
    SimulationCase c;
    c.images = {{"A", {8, 8}}};
    c.options.machine.warp_size = 1;
    c.options.kernel.occupancy = 3;
    const std::vector<std::int32_t> sizes{2, 1, 5, 1, 2};
    for (std::size_t g = 0; g < sizes.size(); ++g) {
        for (std::int32_t w = 0; w < sizes[g]; ++w) {
            for (std::uint32_t step = 0; step < 2; ++step) {
                c.rows.push_back(
                    {static_cast<std::int64_t>(g), w, step, 0, {w, static_cast<std::int32_t>(g)}});
            }
        }
    }
    Recorder recorder;
    std::vector<SimulationObserver*> observers{&recorder};
    const SimulationResult r = simulate(*c.source(), c.options, observers);
    CHECK(r.occupancy_groups == 4); // {0, 1}, {2 first three}, {2 last two}, {3, 4}
    std::string order;
    for (const Recorder::Access& a : recorder.accesses) {
        order += std::to_string(a.group) + "." + std::to_string(a.warp) + " ";
    }
    CHECK(order == "0.0 0.1 1.0 0.0 0.1 1.0 "
                   "2.0 2.1 2.2 2.0 2.1 2.2 2.3 2.4 2.3 2.4 "
                   "3.0 4.0 4.1 3.0 4.0 4.1 ");

    c.options.machine.group_schedule = GroupSchedule::refill;
    recorder = {};
    (void)simulate(*c.source(), c.options, observers);
    order.clear();
    for (const Recorder::Access& a : recorder.accesses) {
        order += std::to_string(a.group) + "." + std::to_string(a.warp) + " ";
    }
    CHECK(
        order ==
        "0.0 0.1 1.0 0.0 0.1 1.0 2.0 2.1 2.2 2.0 2.1 2.2 2.3 2.4 3.0 2.3 2.4 3.0 4.0 4.1 4.0 4.1 ");
}

TEST_CASE("a launch and its trace on paper give the same result")
{
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Random random(seed + 600'000);
        const Launch launch = random_launch(random).launch;
        SimulationOptions options = random_case(random).options;
        const auto generated = make_trace_source(launch);
        std::stringstream file;
        write_csv(file, *generated);
        const auto written = read_csv(file, "written", {});
        INFO("seed " << seed);
        const SimulationResult a = simulate(*generated, options);
        REQUIRE(result_difference(a, simulate(*written, options)).empty());
    }
}

TEST_CASE("group numbers may be sparse")
{
    SimulationCase c;
    c.images = {{"A", {8, 8}}};
    c.options.machine.cores = 4;
    const std::int64_t far = 1'000'000'000'000;
    c.rows = {{5, 0, 0, 0, {0, 0}}, {far + 1, 0, 0, 0, {0, 0}}, {far + 2, 0, 0, 0, {0, 0}}};
    const SimulationResult r = simulate(*c.source(), c.options);
    CHECK(r.groups == 3);
    CHECK(r.cores[1].warps == 2); // 5 and 10^12 + 1
    CHECK(r.cores[2].warps == 1);
    CHECK(r.l1.compulsory == 2);
    CHECK(r.l2().hits == 1);
}

TEST_CASE("a stop request ends the simulation")
{
    SimulationCase c;
    c.images = {{"A", {64, 64}}};
    for (std::int32_t i = 0; i < 20'000; ++i) {
        c.rows.push_back({i / 64, i % 64, 0, 0, {i % 64, i / 64 % 64}});
    }
    c.options.mode.timed = GENERATE(false, true);
    c.options.machine.warp_size = 1;
    int asked = 0;
    const StopToken stop = [&asked] { return ++asked >= 2; };
    CHECK_THROWS_AS(simulate(*c.source(), c.options, {}, stop), Interrupted);
    CHECK_NOTHROW(simulate(*c.source(), c.options, {}, [] { return false; }));
}
