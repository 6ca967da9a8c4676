#include "sim/options/options.hpp"
#include "tests/sim/timed_case.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// Of the only core.
CoreResult core_of(const SimulationCase& c)
{
    return simulate(*c.source(), c.options).cores.at(0);
}

} // namespace

TEST_CASE("a read of a line on its way waits for it, and takes no miss of its own")
{
    SimulationCase c = burst({{5, 0}, {5, 0}, {5, 0}});
    c.options.machine.timing.outstanding_misses = 1;
    CHECK(cycles_of(c) == 310);
    // the second warp reads once more, after its data came at 310
    c.rows.push_back({0, 1, 1, 0, {5, 0}});
    CHECK(cycles_of(c) == 310 + 70);
}

TEST_CASE("with two misses under way the others wait in turn")
{
    SimulationCase c = burst(row_of(6));
    c.options.machine.timing.outstanding_misses = 2;
    // They leave at 0, 1; at 310 and 311 when those are back; at 620 and 621.
    CHECK(cycles_of(c) == 621 + 310);
}

TEST_CASE("a miss that finds no entry holds the texture unit until one is free")
{
    SimulationCase c = burst(row_of(6));
    c.options.machine.timing.outstanding_misses = 2;
    // Misses leave at 0 and 1, and arrive at 310 and 311. The third is issued at 2, refused, and
    // leaves at 310; the fourth is issued at 311, when an entry has just come free. The fifth is
    // issued at 312, refused until 620, arrives at 930; the sixth is issued at 621 and arrives at
    // 931.
    const CoreResult core = core_of(c);
    CHECK(core.cycles == Cycles{931});
    CHECK(core.reservation_failures == ReservationFailures{.no_entry = 2, .no_merge_slot = 0});
    CHECK(core.stalls == StallStatistics{.issued = 6,
                                         .waiting_for_data = 309, // 622 .. 930
                                         // 310 and 620: the lookup that had waited
                                         .texture_unit = 2,
                                         // 3 .. 309 and 313 .. 619
                                         .outstanding_misses = 307 + 307});
}

TEST_CASE("a miss takes so many reads of its line and no more")
{
    SimulationCase c = burst({{5, 0}, {5, 0}, {5, 0}, {5, 0}});
    c.options.machine.timing.misses_merges = 1;
    // The miss leaves at 0, the second read merges with it at 1. The third is refused at 2, and a
    // hit from 310 on: its data are there at 380. The fourth is issued at 311, a hit as well.
    const CoreResult core = core_of(c);
    CHECK(core.cycles == Cycles{311 + 70});
    CHECK(core.reservation_failures == ReservationFailures{.no_entry = 0, .no_merge_slot = 1});
    CHECK(core.stalls == StallStatistics{.issued = 4,
                                         .waiting_for_data = 69, // 312 .. 380
                                         .texture_unit = 1,      // 310
                                         .merge_slots = 307});   // 3 .. 309
    c.options.machine.timing.misses_merges = 2; // now it is the last one that is refused
    CHECK(core_of(c).cycles == Cycles{310 + 70});
    CHECK(core_of(c).reservation_failures.no_merge_slot == 1);
    for (const int merges : {3, 0}) {
        c.options.machine.timing.misses_merges = unless_0(merges);
        CHECK(core_of(c).cycles == Cycles{310});
        CHECK(core_of(c).reservation_failures.total() == 0);
    }
}

TEST_CASE("a line thrown out while on its way is asked for again, and takes another entry")
{
    SimulationCase c = burst({{0, 0}, {1, 0}, {2, 0}, {0, 0}});
    c.options.machine.l1().geometry = {
        .capacity = Bytes{32}, .line = Bytes{16}, .ways = 0}; // two lines
    c.options.machine.timing.outstanding_misses = 4;
    CHECK(core_of(c).cycles == Cycles{3 + 310});
    c.options.machine.timing.outstanding_misses = 3; // the fourth leaves when the first is back
    CHECK(core_of(c).cycles == Cycles{310 + 310});
}

TEST_CASE("through the latency FIFO a hit behind a miss returns after it")
{
    SimulationCase c = burst({{0, 0}, {0, 0}});
    c.rows.push_back({0, 0, 1, 0, {1, 0}});
    c.rows.push_back({0, 1, 1, 0, {0, 0}});
    c.rows.push_back({0, 1, 2, 0, {0, 0}});
    // Both warps have their first data at 310. At 310 the first one misses again, until 620; at 311
    // the second one hits: without FIFO its data are there at 381, and after another hit it is done
    // at 451.
    CHECK(core_of(c).cycles == Cycles{620});
    // In order, its hit returns with the miss ahead of it at 620, and the next one takes until 690.
    c.options.machine.timing.latency_fifo = 16;
    CHECK(core_of(c).cycles == Cycles{690});
}

TEST_CASE("a full latency FIFO holds the texture unit until its oldest lookup has its data")
{
    SimulationCase c = burst(row_of(10));
    c.options.machine.timing.latency_fifo = 4;
    // Four misses enter at 0 .. 3 and leave at 310 .. 313. The fifth is issued at 4 and enters at
    // 310; the next three are issued at 311, 312, 313, when there is room. These four leave at 620
    // .. 623. The ninth is issued at 314 and enters at 620, the tenth at 621; its data are there at
    // 931.
    const CoreResult core = core_of(c);
    CHECK(core.cycles == Cycles{931});
    CHECK(core.reservation_failures.total() == 0);
    CHECK(core.stalls == StallStatistics{.issued = 10,
                                         .waiting_for_data = 309, // 622 .. 930
                                         // 310 and 620: the lookup that had waited
                                         .texture_unit = 2,
                                         .latency_fifo = 305 + 305}); // 5 .. 309 and 315 .. 619
    for (const int depth : {10, 0}) {
        c.options.machine.timing.latency_fifo = unless_0(depth);
        CHECK(core_of(c).cycles == Cycles{9 + 310});
    }
}

TEST_CASE("the lookups of one access go through the latency FIFO one by one")
{
    SimulationCase c = burst({});
    c.options.machine.warp_size = 4;
    for (std::int32_t lane = 0; lane < 4; ++lane) { // four misses, then four hits
        c.rows.push_back({0, lane, 0, 0, {lane, 0}});
        c.rows.push_back({0, lane, 1, 0, {lane, 0}});
    }
    c.options.machine.timing.latency_fifo = 1; // one after the other
    CHECK(core_of(c).cycles == Cycles{4 * 310 + 4 * 70});
    // Two at a time: misses at 0, 1, 310, 311, the last data at 621; hits at 621, 622, 691, 692.
    c.options.machine.timing.latency_fifo = 2;
    CHECK(core_of(c).cycles == Cycles{692 + 70});
    c.options.machine.timing.latency_fifo = 4;
    CHECK(core_of(c).cycles == Cycles{(3 + 310) + (3 + 70)});
}
