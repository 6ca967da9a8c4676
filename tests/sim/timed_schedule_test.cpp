#include "sim/options/options.hpp"
#include "tests/sim/oracle.hpp"
#include "tests/sim/timed_case.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <tuple>
#include <utility>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// The warps in the order in which they issue: one core, work-groups of one single-lane warp each,
/// three accesses a warp, all data back after one cycle.
std::string issue_order(int warps, int occupancy, WarpSchedule schedule, GroupSchedule groups,
                        int fetch_group = 8)
{
    SimulationCase c;
    c.images = {{"A", {4, 4}}};
    c.options.machine.warp_size = 1;
    c.options.kernel.occupancy = occupancy;
    c.options.mode.timed = true;
    c.options.machine.l1().latency = c.options.machine.l2().latency =
        c.options.machine.timing.memory_latency = Cycles{1};
    c.options.machine.warp_schedule = schedule;
    c.options.machine.group_schedule = groups;
    c.options.machine.fetch_group = fetch_group;
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
    // Two slots, five warps: a warp that takes the slot of the one that issued last has not issued
    // yet itself.
    CHECK(issue_order(5, 2, WarpSchedule::gto, GroupSchedule::refill) == "000111222333444");
    CHECK(issue_order(5, 2, WarpSchedule::gto, GroupSchedule::batch) == "000111222333444");
    CHECK(issue_order(5, 2, WarpSchedule::oldest, GroupSchedule::refill) == "000111222333444");
}

TEST_CASE("the two-level schedule stays with a fetch group while one of its warps has data")
{
    for (const GroupSchedule groups : {GroupSchedule::batch, GroupSchedule::refill}) {
        INFO((groups == GroupSchedule::batch ? "batch" : "refill"));
        CHECK(issue_order(4, 4, WarpSchedule::two_level, groups, 2) == "010101232323");
        CHECK(issue_order(5, 5, WarpSchedule::two_level, groups, 2) == "010101232323444");
        CHECK(issue_order(3, 3, WarpSchedule::two_level, groups, 1) == "000111222");
        CHECK(issue_order(3, 3, WarpSchedule::two_level, groups, 3) == "012012012");
        CHECK(issue_order(3, 3, WarpSchedule::two_level, groups, 8) == "012012012");
    }
}

TEST_CASE("the two-level schedule moves on when all warps of the fetch group wait")
{
    SimulationCase c;
    c.images = {{"A", {64, 4}, Bytes{16}}};
    c.options.machine.warp_size = 1;
    c.options.kernel.occupancy = 6;
    c.options.mode.timed = true;
    c.options.machine.l1().geometry = {.capacity = Bytes{16 * 256}, .line = Bytes{16}};
    c.options.machine.l2().geometry.capacity = Bytes{0};
    c.options.machine.l1().latency = Cycles{3};
    c.options.machine.timing.memory_latency = Cycles{3};
    c.options.machine.timing.memory_bytes_per_cycle = 16;
    c.options.machine.warp_schedule = WarpSchedule::two_level;
    c.options.machine.fetch_group = 2;
    for (std::int32_t w = 0; w < 6; ++w) {
        for (std::uint32_t s = 0; s < 2; ++s) {
            c.rows.push_back({w, 0, s, 0, {4 * w + static_cast<std::int32_t>(s), 0}});
        }
    }
    // Data come three cycles after the issue. Cycles 0, 1: warps 0, 1. At 2 both wait: warps 2, 3
    // issue at 2 and 3. At 4 both wait, and the next group in turn is that of warps 4, 5, although
    // warp 0 has its data since 3. At 6 these wait, and the first group is asked again: 0, 1 at 6
    // and 7, then 2, 3 and 4, 5; the last data come at 11 + 3.
    Recorder recorder;
    std::vector<SimulationObserver*> observers{&recorder};
    CHECK(simulate(*c.source(), c.options, observers).cycles == Cycles{14});
    std::string order;
    for (const Recorder::Access& a : recorder.accesses) {
        order += std::to_string(a.group);
    }
    CHECK(order == "012345012345");
}

TEST_CASE("a core keeps to its occupancy: batches do not overlap, refill never has more warps open "
          "than slots")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SimulationCase c = timed_case(seed + 6000);
        c.options.machine.dispatch =
            Dispatch::round_robin; // the one that the plain simulator cuts into batches
        Recorder recorder;
        std::vector<SimulationObserver*> observers{&recorder};
        const SimulationResult r = simulate(*c.source(), c.options, observers);
        INFO("seed " << seed << "\n" << describe(c));
        using WarpKey = std::tuple<int, std::int64_t, std::int32_t>;
        // first and last access of each warp
        std::map<WarpKey, std::pair<std::size_t, std::size_t>> span;
        std::map<WarpKey, std::uint32_t> step;
        for (std::size_t i = 0; i < recorder.accesses.size(); ++i) {
            const Recorder::Access& a = recorder.accesses[i];
            const WarpKey key{a.core, a.group, a.warp};
            // the steps of a warp stay in order
            REQUIRE((!step.contains(key) || step[key] < a.step));
            step[key] = a.step;
            span.try_emplace(key, i, i).first->second.second = i;
        }
        for (const auto& [key, place] : span) {
            // warps of that core that have begun and not ended when this one begins, itself
            // included
            int open = 0;
            for (const auto& [other, other_place] : span) {
                open += std::get<0>(other) == std::get<0>(key) &&
                        other_place.first <= place.first && other_place.second >= place.first;
            }
            REQUIRE(open <= r.occupancy.warps);
        }
        if (c.options.machine.group_schedule == GroupSchedule::batch) {
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
