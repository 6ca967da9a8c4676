#include "sim/options/options.hpp"
#include "tests/sim/oracle.hpp"
#include "tests/sim/result_difference.hpp"
#include "tests/sim/timed_case.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

using namespace texelscope::sim;
using namespace texelscope::test;

TEST_CASE("with one resident warp on one core, timed and untimed hits and misses are the same")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SimulationCase c = timed_case(seed + 1000);
        c.options.kernel.occupancy = 1;
        c.options.machine.dispatch = Dispatch::round_robin; // untimed mode has no other
        if (c.options.machine.cores > 1) {
            c.options.machine.l2().geometry.capacity =
                Bytes{0}; // the order of several cores at L2 depends on time
        }
        const SimulationResult timed = simulate(*c.source(), c.options);
        SimulationResult counters = timed;
        counters.cycles.reset();
        for (CoreResult& core : counters.cores) {
            core.cycles = {};
            core.stalls = {};
            core.reservation_failures = {};
        }
        INFO("seed " << seed << "\n" << describe(c));
        REQUIRE(result_difference(oracle_simulate(c.images, c.rows, c.options).counters, counters)
                    .empty());
    }
}

TEST_CASE("in timed mode kinds of misses that are not asked for change nothing but themselves")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SimulationCase c = timed_case(seed + 3000);
        c.options.mode.miss_kinds = true;
        SimulationResult with = simulate(*c.source(), c.options);
        c.options.mode.miss_kinds = false;
        const SimulationResult without = simulate(*c.source(), c.options);
        INFO("seed " << seed << "\n" << describe(c));
        CHECK(without.l1.kinds_known() == (with.l1.misses() == 0));
        for (CoreResult& core : with.cores) {
            core.l1 = core.l1.without_kinds();
        }
        with.l1 = with.l1.without_kinds();
        for (LevelStatistics& level : with.behind) {
            level.counts = level.counts.without_kinds();
        }
        REQUIRE(result_difference(with, without).empty());
    }
}

TEST_CASE("time changes the order of the lookups, not their number nor the lines touched")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SimulationCase c = timed_case(seed + 2000);
        const SimulationResult dynamic = [&] {
            c.options.machine.dispatch = Dispatch::dynamic;
            return simulate(*c.source(), c.options);
        }();
        c.options.machine.dispatch = Dispatch::round_robin;
        const SimulationResult timed = simulate(*c.source(), c.options);
        const SimulationResult plain = oracle_simulate(c.images, c.rows, c.options).counters;
        INFO("seed " << seed << "\n" << describe(c));
        REQUIRE(timed.steps == plain.steps);
        REQUIRE(timed.warps == plain.warps);
        REQUIRE(timed.groups == plain.groups);
        REQUIRE(timed.border_reads == plain.border_reads);
        REQUIRE(timed.occupancy_groups == plain.occupancy_groups);
        REQUIRE(dynamic.steps == plain.steps);
        REQUIRE(dynamic.warps == plain.warps);
        REQUIRE(dynamic.groups == plain.groups);
        REQUIRE(dynamic.border_reads == plain.border_reads);
        REQUIRE(dynamic.l1.texel_reads == plain.l1.texel_reads);
        REQUIRE(dynamic.l1.lookups == plain.l1.lookups);
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
        const Timing& t = c.options.machine.timing;
        const auto latency = c.options.machine.l1().latency.value;
        const auto cycles = static_cast<double>(r.cycles.value().value);
        INFO("seed " << seed << "\n" << describe(c));
        // that touch memory, of each warp
        std::map<std::pair<std::int64_t, std::int32_t>, std::int64_t> accesses;
        std::map<int, std::int64_t> of_core;
        for (const Recorder::Access& a : recorder.accesses) {
            ++accesses[{a.group, a.warp}];
            ++of_core[a.core];
        }
        for (const auto& [warp, count] : accesses) {
            REQUIRE(cycles >= static_cast<double>(count * latency));
            REQUIRE(cycles >=
                    static_cast<double>(count - 1) * c.options.kernel.alu_cycles_per_step);
        }
        for (const auto& [core, count] : of_core) {
            const CoreResult& result = r.cores[static_cast<std::size_t>(core)];
            REQUIRE(result.cycles.value >= count); // one issue a cycle
            REQUIRE(static_cast<double>(result.cycles.value) >=
                    static_cast<double>(result.l1.lookups - 1) / t.lookups_per_cycle);
            if (t.latency_fifo) { // each lookup holds a place for the hit latency at least
                REQUIRE(result.cycles.value * *t.latency_fifo >= result.l1.lookups * latency);
            }
            if (!c.options.machine.has_l2()) {
                // At most so many misses of one core under way at a time, each for the memory's
                // latency.
                REQUIRE(result.cycles.value * t.outstanding_misses >=
                        result.l1.misses() * t.memory_latency.value);
            }
        }
        const auto fills = [](const CacheStatistics& s, Bytes granule) {
            // all but the last transfer
            return static_cast<double>(s.bytes_filled.value - granule.value);
        };
        if (c.options.machine.has_l2()) {
            REQUIRE(cycles * c.options.machine.l2().bytes_per_cycle >=
                    fills(r.l1, c.options.machine.l1().geometry.granule()));
            REQUIRE(cycles * t.memory_bytes_per_cycle >=
                    fills(r.l2(), c.options.machine.l2().geometry.granule()));
        } else {
            REQUIRE(cycles * t.memory_bytes_per_cycle >=
                    fills(r.l1, c.options.machine.l1().geometry.granule()));
        }
        if (r.l1.misses() > 0) {
            // the first miss misses everywhere
            REQUIRE(cycles >= static_cast<double>(t.memory_latency.value));
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
                 {core.stalls.issued, core.stalls.waiting_for_data, core.stalls.alu_busy,
                  core.stalls.texture_unit, core.stalls.outstanding_misses, core.stalls.merge_slots,
                  core.stalls.latency_fifo, core.stalls.idle}) {
                REQUIRE(part >= 0);
            }
            const ReservationFailures& failures = core.reservation_failures;
            REQUIRE((core.stalls.outstanding_misses == 0 || failures.no_entry > 0));
            REQUIRE((core.stalls.merge_slots == 0 || failures.no_merge_slot > 0));
            REQUIRE(failures.no_entry <= core.l1.misses());
            REQUIRE(failures.no_merge_slot <= core.l1.hits);
            REQUIRE(core.stalls.idle == r.cycles.value().value - core.cycles.value);
            last = std::max(last, core.cycles.value);
            issued += core.stalls.issued;
        }
        REQUIRE(r.cycles == Cycles{last});
        REQUIRE(issued == r.steps);
        const auto time = r.time(c.options.machine);
        REQUIRE(time.has_value());
        REQUIRE(time->value ==
                Approx(static_cast<double>(last) * 1000.0 / c.options.machine.timing.clock_mhz));
    }
}

TEST_CASE("untimed mode gives no cycles and no time")
{
    Random random(1);
    SimulationCase c = random_case(random);
    c.options.mode.timed = false;
    const SimulationResult r = simulate(*c.source(), c.options);
    CHECK_FALSE(r.cycles.has_value());
    CHECK_FALSE(r.time(c.options.machine).has_value());
}

TEST_CASE("streams that share nothing never run slower on more cores")
{
    // Each warp walks rows of its own; bandwidth does not limit, so that cores do not meet
    // anywhere.
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed + 5000);
        SimulationCase c;
        c.images = {{"A", {64, 64}}};
        // each with misses of its own, so that an access has several
        const int lanes = random.small(1, 4);
        c.options.machine.warp_size = lanes;
        c.options.mode.timed = true;
        c.options.machine.l2().geometry = {.capacity = Bytes{random.one_in(2) ? 0 : 1024 * 1024},
                                           .line = Bytes{64}};
        c.options.machine.l2().bytes_per_cycle = 1e9;
        c.options.machine.l1().geometry = {.capacity = Bytes{64 * 64}, .line = Bytes{64}};
        c.options.kernel.occupancy = random.small(1, 4);
        c.options.machine.timing.memory_bytes_per_cycle = 1e9;
        c.options.machine.timing.outstanding_misses = random.small(1, 8);
        c.options.machine.group_schedule =
            random.one_in(2) ? GroupSchedule::batch : GroupSchedule::refill;
        const int groups = random.small(1, 12);
        const int steps = random.small(1, 16);
        for (std::int32_t g = 0; g < groups; ++g) {
            for (std::int32_t s = 0; s < steps; ++s) {
                for (std::int32_t lane = 0; lane < lanes; ++lane) { // a line each
                    c.rows.push_back(
                        {g, lane, static_cast<std::uint32_t>(s), 0, {4 * s, 4 * g + lane}});
                }
            }
        }
        std::int64_t last = std::numeric_limits<std::int64_t>::max();
        for (const int cores : {1, 2, 4, 8}) {
            c.options.machine.cores = cores;
            const std::int64_t cycles = simulate(*c.source(), c.options).cycles.value().value;
            INFO("seed " << seed << ", " << cores << " cores\n" << describe(c));
            REQUIRE(cycles <= last);
            last = cycles;
        }
    }
}

TEST_CASE("each warp issues each of its accesses once and in order, its work-group on one core, "
          "whatever the schedule")
{
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SimulationCase c = timed_case(seed + 7000);
        for (Image& image : c.images) {
            image.address_mode = AddressMode::edge; // so that observers are told of every access
        }
        std::set<std::tuple<std::int64_t, std::int32_t, std::uint32_t>> want;
        for (const TraceRow& row : c.rows) {
            want.insert({row.group, row.item / c.options.machine.warp_size, row.step});
        }
        for (const WarpSchedule warps : {WarpSchedule::lrr, WarpSchedule::gto, WarpSchedule::oldest,
                                         WarpSchedule::two_level}) {
            for (const Dispatch dispatch : {Dispatch::round_robin, Dispatch::dynamic}) {
                for (const GroupSchedule groups : {GroupSchedule::batch, GroupSchedule::refill}) {
                    c.options.machine.warp_schedule = warps;
                    c.options.machine.dispatch = dispatch;
                    c.options.machine.group_schedule = groups;
                    INFO("seed " << seed << "\n" << describe(c));
                    Recorder recorder;
                    std::vector<SimulationObserver*> observers{&recorder};
                    (void)simulate(*c.source(), c.options, observers);
                    std::set<std::tuple<std::int64_t, std::int32_t, std::uint32_t>> got;
                    std::map<std::pair<std::int64_t, std::int32_t>, std::uint32_t> last;
                    std::map<std::int64_t, int> core_of;
                    for (const Recorder::Access& a : recorder.accesses) {
                        REQUIRE(got.insert({a.group, a.warp, a.step}).second);
                        const auto before = last.find({a.group, a.warp});
                        REQUIRE((before == last.end() || before->second < a.step));
                        last[{a.group, a.warp}] = a.step;
                        REQUIRE(core_of.try_emplace(a.group, a.core).first->second == a.core);
                    }
                    REQUIRE(got == want);
                }
            }
        }
    }
}

TEST_CASE("a second run gives the same cycles, stalls and occupancy")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const SimulationCase c = timed_case(seed + 8000);
        const SimulationResult a = simulate(*c.source(), c.options);
        const SimulationResult b = simulate(*c.source(), c.options);
        INFO("seed " << seed << "\n" << describe(c));
        REQUIRE(result_difference(a, b) == "");
        for (std::size_t i = 0; i < a.cores.size(); ++i) {
            REQUIRE(a.cores[i].occupancy_over_time == b.cores[i].occupancy_over_time);
        }
    }
}

TEST_CASE(
    "for one warp at a time on one core, a deeper FIFO and more entries for misses never cost time")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SimulationCase c = timed_case(seed + 9000);
        c.options.machine.cores = 1;
        c.options.kernel.occupancy = 1;
        INFO("seed " << seed << "\n" << describe(c));
        const auto falls = [&](auto& option, const auto& values) {
            const auto before = option;
            std::int64_t last = std::numeric_limits<std::int64_t>::max();
            for (const auto& value : values) {
                option = value;
                const std::int64_t cycles = cycles_of(c);
                INFO("value " << std::optional<int>(value).value_or(0));
                REQUIRE(cycles <= last);
                last = cycles;
            }
            option = before;
        };
        using Values = std::vector<std::optional<int>>;
        falls(c.options.machine.timing.latency_fifo, Values{1, 2, 3, 5, 8, 100, std::nullopt});
        falls(c.options.machine.timing.outstanding_misses, std::vector<int>{1, 2, 3, 5, 8, 100});
        falls(c.options.machine.timing.misses_merges, Values{1, 2, 100, std::nullopt});
    }
}
