#include "sim/simulate.hpp"
#include "tests/sim/oracle.hpp"
#include "tests/sim/random_case.hpp"
#include "tests/sim/result_difference.hpp"
#include "tests/sim/timed_case.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

using namespace texelscope;
using namespace texelscope::test;

namespace {

/// Cycles of a single lane that reads these texels of a linear 64x4 image one after the other. Lines have 16 bytes:
/// each texel is a line of its own. The L1 holds two of them, the L2 eight.
std::int64_t chain_cycles(const std::vector<Texel>& texels, double alu = 0)
{
    SimulationCase c;
    c.images = {{"A", {64, 4}, Bytes{16}}};
    c.options.warp_size = 1;
    c.options.timed = true;
    c.options.l1 = {.capacity = Bytes{32}, .line = Bytes{16}};
    c.options.l2 = {.capacity = Bytes{128}, .line = Bytes{16}};
    c.options.timing.hit_latency = Cycles{70};
    c.options.timing.l2_latency = Cycles{130};
    c.options.timing.memory_latency = Cycles{310};
    c.options.timing.alu_cycles_per_step = alu;
    for (std::size_t i = 0; i < texels.size(); ++i) {
        c.rows.push_back({0, 0, static_cast<std::uint32_t>(i), 0, texels[i]});
    }
    return simulate(*c.source(), c.options).cycles.value().value;
}

} // namespace

TEST_CASE("a chain of reads takes the sum of its latencies")
{
    CHECK(chain_cycles({{0, 0}}) == 310);
    CHECK(chain_cycles({{0, 0}, {0, 0}}) == 310 + 70);
    CHECK(chain_cycles({{0, 0}, {1, 0}, {0, 0}, {1, 0}}) == 310 + 310 + 70 + 70);
    // The third line throws the first one out of L1; L2 still has it.
    CHECK(chain_cycles({{0, 0}, {1, 0}, {2, 0}, {0, 0}}) == 3 * 310 + 130);
    // A ninth line throws the first one out of L2 too.
    std::vector<Texel> nine;
    for (std::int32_t x = 0; x < 9; ++x) {
        nine.push_back({x, 1});
    }
    nine.push_back({0, 1});
    CHECK(chain_cycles(nine) == 10 * 310);
}

TEST_CASE("arithmetic between the reads of a chain adds to it")
{
    const std::vector<Texel> texels{{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    const std::int64_t without = chain_cycles(texels);
    const std::int64_t with = chain_cycles(texels, 25);
    CHECK(with >= without + 3 * 25); // between two accesses
    CHECK(with <= without + 4 * 25); // the work after the last one may count
}

TEST_CASE("with one warp of one lane at a time the cycles are the latencies of the plain simulator's events")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SimulationCase c = timed_case(seed);
        c.options.cores = 1;
        c.options.warp_size = 1;
        c.options.occupancy = 1;
        c.options.timing.alu_cycles_per_step = 0;
        c.options.timing.lookups_per_cycle = 1;
        c.options.timing.l2_bytes_per_cycle = 1e9;
        c.options.timing.memory_bytes_per_cycle = 1e9;
        c.options.l1.sector = Bytes{0};
        c.options.l1.line = Bytes{64}; // a texel never needs two
        c.options.l1.capacity = Bytes{64 * 8};
        c.options.l1.ways = 0;
        for (Image& image : c.images) {
            image.address_mode = AddressMode::edge; // each access reads memory
        }
        const OracleResult oracle = oracle_simulate(c.images, c.rows, c.options);
        std::int64_t cycles = 0;
        for (const OracleEvent& e : oracle.events) {
            const Timing& t = c.options.timing;
            cycles += (e.l1.hit() ? t.hit_latency : e.l2 && e.l2->hit() ? t.l2_latency : t.memory_latency).value;
        }
        const SimulationResult r = simulate(*c.source(), c.options);
        INFO("seed " << seed << "\n" << describe(c));
        REQUIRE(r.cycles == Cycles{cycles});
    }
}

TEST_CASE("with one resident warp on one core, timed and untimed hits and misses are the same")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SimulationCase c = timed_case(seed + 1000);
        c.options.occupancy = 1;
        if (c.options.cores > 1) {
            c.options.l2.capacity = Bytes{0}; // the order of several cores at L2 depends on time
        }
        const SimulationResult timed = simulate(*c.source(), c.options);
        SimulationResult counters = timed;
        counters.cycles.reset();
        for (CoreResult& core : counters.cores) {
            core.cycles = {};
            core.stalls = {};
        }
        INFO("seed " << seed << "\n" << describe(c));
        REQUIRE(result_difference(oracle_simulate(c.images, c.rows, c.options).counters, counters).empty());
    }
}

TEST_CASE("time changes the order of the lookups, not their number nor the lines touched")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const SimulationCase c = timed_case(seed + 2000);
        const SimulationResult timed = simulate(*c.source(), c.options);
        const SimulationResult plain = oracle_simulate(c.images, c.rows, c.options).counters;
        INFO("seed " << seed << "\n" << describe(c));
        REQUIRE(timed.steps == plain.steps);
        REQUIRE(timed.warps == plain.warps);
        REQUIRE(timed.groups == plain.groups);
        REQUIRE(timed.border_reads == plain.border_reads);
        REQUIRE(timed.occupancy_groups == plain.occupancy_groups);
        for (std::size_t i = 0; i < plain.cores.size(); ++i) {
            const CacheStatistics& a = timed.cores[i].l1;
            const CacheStatistics& b = plain.cores[i].l1;
            REQUIRE(a.texel_reads == b.texel_reads);
            REQUIRE(a.lookups == b.lookups);
            REQUIRE(a.compulsory == b.compulsory);
            REQUIRE(a.hits + a.misses() == a.lookups);
        }
    }
}

TEST_CASE("cycles are never below what latency, the texture units and the bandwidths allow")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const SimulationCase c = timed_case(seed + 3000);
        Recorder recorder;
        std::vector<SimulationObserver*> observers{&recorder};
        const SimulationResult r = simulate(*c.source(), c.options, observers);
        const Timing& t = c.options.timing;
        const auto cycles = static_cast<double>(r.cycles.value().value);
        INFO("seed " << seed << "\n" << describe(c));
        std::map<std::pair<std::int64_t, std::int32_t>, std::int64_t> accesses; // that touch memory, of each warp
        std::map<int, std::int64_t> of_core;
        for (const Recorder::Access& a : recorder.accesses) {
            ++accesses[{a.group, a.warp}];
            ++of_core[a.core];
        }
        for (const auto& [warp, count] : accesses) {
            REQUIRE(cycles >= static_cast<double>(count * t.hit_latency.value));
            REQUIRE(cycles >= static_cast<double>(count - 1) * t.alu_cycles_per_step);
        }
        for (const auto& [core, count] : of_core) {
            const CoreResult& result = r.cores[static_cast<std::size_t>(core)];
            REQUIRE(result.cycles.value >= count); // one issue a cycle
            REQUIRE(static_cast<double>(result.cycles.value) >=
                    static_cast<double>(result.l1.lookups - 1) / t.lookups_per_cycle);
            if (!c.options.has_l2()) {
                // At most so many misses of one core under way at a time, each for the memory's latency.
                REQUIRE(result.cycles.value * t.outstanding_misses >= result.l1.misses() * t.memory_latency.value);
            }
        }
        const auto fills = [](const CacheStatistics& s, Bytes granule) {
            return static_cast<double>(s.bytes_filled.value - granule.value); // all but the last transfer
        };
        if (c.options.has_l2()) {
            REQUIRE(cycles * t.l2_bytes_per_cycle >= fills(r.l1, c.options.l1.granule()));
            REQUIRE(cycles * t.memory_bytes_per_cycle >= fills(r.l2, c.options.l2.granule()));
        } else {
            REQUIRE(cycles * t.memory_bytes_per_cycle >= fills(r.l1, c.options.l1.granule()));
        }
        if (r.l1.misses() > 0) {
            REQUIRE(cycles >= static_cast<double>(t.memory_latency.value)); // the first miss misses everywhere
        }
    }
}

TEST_CASE("the cycles of each core are accounted for")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const SimulationCase c = timed_case(seed + 4000);
        const SimulationResult r = simulate(*c.source(), c.options);
        INFO("seed " << seed << "\n" << describe(c));
        std::int64_t last = 0;
        std::int64_t issued = 0;
        for (const CoreResult& core : r.cores) {
            REQUIRE(core.stalls.total() == r.cycles.value().value);
            for (const std::int64_t part :
                 {core.stalls.issued, core.stalls.waiting_for_data, core.stalls.alu_busy, core.stalls.texture_unit,
                  core.stalls.outstanding_misses, core.stalls.idle}) {
                REQUIRE(part >= 0);
            }
            REQUIRE(core.stalls.idle == r.cycles.value().value - core.cycles.value);
            last = std::max(last, core.cycles.value);
            issued += core.stalls.issued;
        }
        REQUIRE(r.cycles == Cycles{last});
        REQUIRE(issued == r.steps);
        const auto time = r.time(c.options);
        REQUIRE(time.has_value());
        REQUIRE(time->value == Approx(static_cast<double>(last) * 1000.0 / c.options.timing.clock_mhz));
    }
}

TEST_CASE("untimed mode gives no cycles and no time")
{
    Random random(1);
    SimulationCase c = random_case(random);
    c.options.timed = false;
    const SimulationResult r = simulate(*c.source(), c.options);
    CHECK_FALSE(r.cycles.has_value());
    CHECK_FALSE(r.time(c.options).has_value());
}

TEST_CASE("streams that share nothing never run slower on more cores")
{
    // Each warp walks rows of its own; bandwidth does not limit, so that cores do not meet anywhere.
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed + 5000);
        SimulationCase c;
        c.images = {{"A", {64, 64}}};
        const int lanes = random.small(1, 4); // each with misses of its own, so that an access has several
        c.options.warp_size = lanes;
        c.options.timed = true;
        c.options.l2 = {.capacity = Bytes{random.one_in(2) ? 0 : 1024 * 1024}, .line = Bytes{64}};
        c.options.timing.l2_bytes_per_cycle = 1e9;
        c.options.l1 = {.capacity = Bytes{64 * 64}, .line = Bytes{64}};
        c.options.occupancy = random.small(1, 4);
        c.options.timing.memory_bytes_per_cycle = 1e9;
        c.options.timing.outstanding_misses = random.small(1, 8);
        c.options.group_schedule = random.one_in(2) ? GroupSchedule::batch : GroupSchedule::refill;
        const int groups = random.small(1, 12);
        const int steps = random.small(1, 16);
        for (std::int32_t g = 0; g < groups; ++g) {
            for (std::int32_t s = 0; s < steps; ++s) {
                for (std::int32_t lane = 0; lane < lanes; ++lane) { // a line each
                    c.rows.push_back({g, lane, static_cast<std::uint32_t>(s), 0, {4 * s, 4 * g + lane}});
                }
            }
        }
        std::int64_t last = std::numeric_limits<std::int64_t>::max();
        for (const int cores : {1, 2, 4, 8}) {
            c.options.cores = cores;
            const std::int64_t cycles = simulate(*c.source(), c.options).cycles.value().value;
            INFO("seed " << seed << ", " << cores << " cores\n" << describe(c));
            REQUIRE(cycles <= last);
            last = cycles;
        }
    }
}

TEST_CASE("resident warps hide each other's latency, and a single miss under way takes that back")
{
    SimulationCase c;
    c.images = {{"A", {64, 64}}};
    c.options.warp_size = 1;
    c.options.timed = true;
    c.options.l2.capacity = Bytes{0};
    c.options.timing.memory_latency = Cycles{400};
    c.options.timing.memory_bytes_per_cycle = 1e9;
    for (std::int32_t w = 0; w < 8; ++w) {
        for (std::int32_t s = 0; s < 10; ++s) {
            c.rows.push_back({w, 0, static_cast<std::uint32_t>(s), 0, {4 * s, w}});
        }
    }
    const auto cycles = [&](int occupancy, int outstanding) {
        c.options.occupancy = occupancy;
        c.options.timing.outstanding_misses = outstanding;
        return simulate(*c.source(), c.options).cycles.value().value;
    };
    CHECK(cycles(1, 64) == 80 * 400);
    CHECK(cycles(8, 1) >= 80 * 400);
    CHECK(cycles(8, 64) >= 10 * 400);
    CHECK(cycles(8, 64) <= 10 * 400 + 10 * 8); // eight issues follow each other at each step
}

TEST_CASE("a read of a line on its way waits for it, and takes no miss of its own")
{
    SimulationCase c = burst({{5, 0}, {5, 0}, {5, 0}});
    c.options.timing.outstanding_misses = 1;
    CHECK(cycles_of(c) == 310);
    c.rows.push_back({0, 1, 1, 0, {5, 0}}); // the second warp reads once more, after its data came at 310
    CHECK(cycles_of(c) == 310 + 70);
}

TEST_CASE("independent misses overlap, one issue a cycle")
{
    CHECK(cycles_of(burst(row_of(10))) == 310 + 9);
}

TEST_CASE("the memory's bandwidth spaces the misses")
{
    SimulationCase c = burst(row_of(10));
    c.options.timing.memory_bytes_per_cycle = 0.5; // 32 cycles a line
    CHECK(cycles_of(c) == 9 * 32 + 310);
}

TEST_CASE("the bandwidth of L2 spaces its hits, which wait for the line on its way from memory")
{
    SimulationCase c = burst(row_of(10));
    c.options.l2 = {.capacity = Bytes{4096}, .line = Bytes{256}}; // all ten in one line of L2
    c.options.timing.l2_bytes_per_cycle = 0.5;
    CHECK(cycles_of(c) == 9 * 32 + 130); // 418: after the fill from memory at 310
    c.options.timing.l2_bytes_per_cycle = 1;
    CHECK(cycles_of(c) == 310);             // the last one leaves at 144, its data come with the fill
    c.rows.push_back({0, 9, 1, 0, {9, 0}}); // and only then it reads again
    CHECK(cycles_of(c) == 310 + 70);
}

TEST_CASE("with two misses under way the others wait in turn")
{
    SimulationCase c = burst(row_of(6));
    c.options.timing.outstanding_misses = 2;
    // They leave at 0, 1; at 310 and 311 when those are back; at 620 and 621.
    CHECK(cycles_of(c) == 621 + 310);
}

TEST_CASE("the texture unit serves the lines of one access one after the other")
{
    SimulationCase c = burst({});
    c.options.warp_size = 4;
    c.options.timing.lookups_per_cycle = 0.5;
    for (std::int32_t lane = 0; lane < 4; ++lane) {
        c.rows.push_back({0, lane, 0, 0, {lane, 0}});
        c.rows.push_back({0, lane, 1, 0, {lane, 0}});
    }
    CHECK(cycles_of(c) == (3 * 2 + 310) + (3 * 2 + 70));
    c.options.timing.lookups_per_cycle = 2;
    CHECK(cycles_of(c) >= 310 + 70);
    CHECK(cycles_of(c) <= (2 + 310) + (2 + 70));

    SimulationCase two = burst(row_of(8)); // two warps of four lanes: the second finds the unit busy up to cycle 8
    two.options.warp_size = 4;
    two.options.timing.lookups_per_cycle = 0.5;
    CHECK(cycles_of(two) == 8 + 3 * 2 + 310);
}

namespace {

/// The warps in the order in which they issue: one core, work-groups of one single-lane warp each, three accesses a
/// warp, all data back after one cycle.
std::string issue_order(int warps, int occupancy, WarpSchedule schedule, GroupSchedule groups)
{
    SimulationCase c;
    c.images = {{"A", {4, 4}}};
    c.options.warp_size = 1;
    c.options.occupancy = occupancy;
    c.options.timed = true;
    c.options.timing.hit_latency = c.options.timing.l2_latency = c.options.timing.memory_latency = Cycles{1};
    c.options.warp_schedule = schedule;
    c.options.group_schedule = groups;
    for (std::int32_t w = 0; w < warps; ++w) {
        for (std::uint32_t s = 0; s < 3; ++s) {
            c.rows.push_back({w, 0, s, 0, {0, 0}});
        }
    }
    Recorder recorder;
    std::vector<SimulationObserver*> observers{&recorder};
    (void)simulate(*c.source(), c.options, observers);
    std::string text;
    for (const Recorder::Access& a : recorder.accesses) {
        text += std::to_string(a.group);
    }
    return text;
}

} // namespace

TEST_CASE("the warp schedules pick as they are named where data are back at once")
{
    for (const GroupSchedule groups : {GroupSchedule::batch, GroupSchedule::refill}) {
        INFO((groups == GroupSchedule::batch ? "batch" : "refill"));
        CHECK(issue_order(3, 3, WarpSchedule::lrr, groups) == "012012012");
        CHECK(issue_order(3, 3, WarpSchedule::gto, groups) == "000111222");
        CHECK(issue_order(3, 3, WarpSchedule::oldest, groups) == "000111222");
    }
}

TEST_CASE("greedy-then-oldest is greedy for a warp, not for its slot")
{
    // Two slots, five warps: a warp that takes the slot of the one that issued last has not issued yet itself.
    CHECK(issue_order(5, 2, WarpSchedule::gto, GroupSchedule::refill) == "000111222333444");
    CHECK(issue_order(5, 2, WarpSchedule::gto, GroupSchedule::batch) == "000111222333444");
    CHECK(issue_order(5, 2, WarpSchedule::oldest, GroupSchedule::refill) == "000111222333444");
}

TEST_CASE("a core keeps to its occupancy: batches do not overlap, refill never has more warps open than slots")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const SimulationCase c = timed_case(seed + 6000);
        Recorder recorder;
        std::vector<SimulationObserver*> observers{&recorder};
        const SimulationResult r = simulate(*c.source(), c.options, observers);
        INFO("seed " << seed << "\n" << describe(c));
        using WarpKey = std::tuple<int, std::int64_t, std::int32_t>;
        std::map<WarpKey, std::pair<std::size_t, std::size_t>> span; // first and last access of each warp
        std::map<WarpKey, std::uint32_t> step;
        for (std::size_t i = 0; i < recorder.accesses.size(); ++i) {
            const Recorder::Access& a = recorder.accesses[i];
            const WarpKey key{a.core, a.group, a.warp};
            REQUIRE((!step.contains(key) || step[key] < a.step)); // the steps of a warp stay in order
            step[key] = a.step;
            span.try_emplace(key, i, i).first->second.second = i;
        }
        for (const auto& [key, place] : span) {
            int open = 0; // warps of that core that have begun and not ended when this one begins, itself included
            for (const auto& [other, other_place] : span) {
                open += std::get<0>(other) == std::get<0>(key) && other_place.first <= place.first &&
                        other_place.second >= place.first;
            }
            REQUIRE(open <= r.occupancy.warps);
        }
        if (c.options.group_schedule == GroupSchedule::batch) {
            const OracleResult oracle = oracle_simulate(c.images, c.rows, c.options);
            std::map<WarpKey, std::size_t> batch_of;
            for (std::size_t core = 0; core < oracle.batches.size(); ++core) {
                for (std::size_t batch = 0; batch < oracle.batches[core].size(); ++batch) {
                    for (const auto& [group, warp] : oracle.batches[core][batch]) {
                        batch_of[{static_cast<int>(core), group, warp}] = batch;
                    }
                }
            }
            std::map<int, std::size_t> running; // by core
            for (const Recorder::Access& a : recorder.accesses) {
                const std::size_t batch = batch_of.at({a.core, a.group, a.warp});
                REQUIRE(batch >= running[a.core]);
                running[a.core] = batch;
            }
        }
    }
}
