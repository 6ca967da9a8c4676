#include "base/error.hpp"
#include "sim/options/options.hpp"
#include "tests/sim/timed_case.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// Two cores, single-lane warps, no L2; a miss takes 100 cycles and a hit `hit`, memory sends a
/// line a cycle.
SimulationCase two_cores(int hit)
{
    SimulationCase c = burst({});
    c.options.machine.cores = 2;
    c.options.machine.dispatch = Dispatch::dynamic;
    c.options.machine.l1().latency = Cycles{hit};
    c.options.machine.timing.memory_latency = Cycles{100};
    c.options.machine.timing.memory_bytes_per_cycle = 16;
    return c;
}

/// Adds a work-group whose warps each read a line of the group's own so many times.
void add_group(SimulationCase& c, std::int32_t warps, std::uint32_t reads)
{
    const std::int64_t group = c.rows.empty() ? 0 : c.rows.back().group + 1;
    for (std::int32_t warp = 0; warp < warps; ++warp) {
        for (std::uint32_t step = 0; step < reads; ++step) {
            c.rows.push_back({group, warp, step, 0, {static_cast<std::int32_t>(group), 0}});
        }
    }
}

/// The core of each work-group, as digits.
std::string cores_of(const SimulationCase& c)
{
    Recorder recorder;
    std::vector<SimulationObserver*> observers{&recorder};
    (void)simulate(*c.source(), c.options, observers);
    std::map<std::int64_t, int> cores;
    for (const Recorder::Access& a : recorder.accesses) {
        cores[a.group] = a.core;
    }
    std::string text;
    for (const auto& [group, core] : cores) {
        text += std::to_string(core);
    }
    return text;
}

} // namespace

TEST_CASE("dynamic dispatch gives the next work-group to the core that is free first")
{
    SimulationCase c = two_cores(10);
    c.options.kernel.occupancy = 1;
    add_group(c, 1, 21); // 100 + 20 * 10 cycles
    for (int i = 0; i < 4; ++i) {
        add_group(c, 1, 1); // 100 cycles
    }
    for (const GroupSchedule groups : {GroupSchedule::batch, GroupSchedule::refill}) {
        c.options.machine.group_schedule = groups;
        // Core 0 runs group 0 until 300. Core 1's first line follows that of core 0, group 1 ends
        // at 101, then groups 2 and 3 at 201 and 301: core 0 is free first, and ends group 4 at
        // 400.
        c.options.machine.dispatch = Dispatch::dynamic;
        CHECK(cores_of(c) == "01110");
        const SimulationResult r = simulate(*c.source(), c.options);
        CHECK(r.cycles == Cycles{400});
        CHECK(r.cores[0].cycles == Cycles{400});
        CHECK(r.cores[1].cycles == Cycles{301});
        CHECK(r.cores[1].stalls.idle == 99);
        CHECK(r.cores[1].warps == 3);
        CHECK(r.groups == 5);
        // Round-robin leaves groups 0, 2 and 4 to core 0.
        c.options.machine.dispatch = Dispatch::round_robin;
        CHECK(cores_of(c) == "01010");
        CHECK(cycles_of(c) == 300 + 100 + 100);
    }
}

TEST_CASE(
    "of two cores that are free at the same moment the one with the lower number is served first")
{
    SimulationCase c = two_cores(1);
    c.options.kernel.occupancy = 1;
    add_group(c, 1, 2); // data at 100, the second read is a hit: 101
    add_group(c, 1, 1); // the line follows one cycle later: 101
    add_group(c, 1, 1);
    add_group(c, 1, 1);
    CHECK(cores_of(c) == "0101");
    CHECK(cycles_of(c) == 101 + 1 + 100);
}

TEST_CASE("cores that are free at the same moment take one work-group each, round after round")
{
    SimulationCase c = two_cores(10);
    c.options.kernel.occupancy = 4;
    add_group(c, 3, 2);
    add_group(c, 1, 2);
    add_group(c, 2, 2);
    add_group(c, 1, 2);
    // An occupancy group takes work-groups whole: the third does not fit beside the first, and goes
    // to core 1.
    c.options.machine.group_schedule = GroupSchedule::batch;
    CHECK(cores_of(c) == "0111");
    CHECK(simulate(*c.source(), c.options).occupancy_groups == 2);
    // Warp by warp, it begins in the last slot of core 0, and stays there.
    c.options.machine.group_schedule = GroupSchedule::refill;
    CHECK(cores_of(c) == "0101");
}

TEST_CASE("a work-group of more warps than the occupancy stays on the core that has begun it")
{
    SimulationCase c = two_cores(10);
    c.options.kernel.occupancy = 2;
    add_group(c, 5, 1);
    add_group(c, 1, 1);
    add_group(c, 1, 1);
    add_group(c, 1, 1);
    c.options.machine.group_schedule = GroupSchedule::batch;
    // Core 0 takes two warps of the first, core 1 the next two work-groups; both end about 100, at
    // which core 0 goes on with its own and core 1 takes the last.
    CHECK(cores_of(c) == "0111");
    const SimulationResult r = simulate(*c.source(), c.options);
    CHECK(r.cores[0].occupancy_groups == 3);
    CHECK(r.cores[0].warps == 5);
    CHECK(r.cores[1].occupancy_groups == 2);
    c.options.machine.group_schedule = GroupSchedule::refill;
    CHECK(cores_of(c) == "0111");
}

TEST_CASE("untimed mode refuses dynamic dispatch and says so")
{
    SimulationCase c = two_cores(10);
    add_group(c, 1, 1);
    c.options.mode.timed = false;
    CHECK_THROWS_AS(simulate(*c.source(), c.options), Error);
    CHECK_THROWS_WITH(simulate(*c.source(), c.options),
                      Catch::Matchers::Contains("schedule.dispatch") &&
                          Catch::Matchers::Contains("untimed"));
}
