// The timed mode against a simulator that steps through time by quarters of a cycle
// (reference_timing.hpp).

#include "sim/timed/store_sectors.hpp"
#include "sim/timed/warp_code.hpp"
#include "tests/sim/launch_with_work.hpp"
#include "tests/sim/reference_timing.hpp"
#include "tests/sim/result_difference.hpp"
#include "tests/sim/timed_case.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

std::string issues_text(const ReferenceTiming& want)
{
    std::string text;
    for (const ReferenceIssue& i : want.issues) {
        text += "core " + std::to_string(i.core) + " group " + std::to_string(i.group) + " warp " +
                std::to_string(i.warp) + " step " + std::to_string(i.step) + "\n";
    }
    return text;
}

std::string issues_text(const Recorder& got)
{
    std::string text;
    for (const Recorder::Access& a : got.accesses) {
        text += "core " + std::to_string(a.core) + " group " + std::to_string(a.group) + " warp " +
                std::to_string(a.warp) + " step " + std::to_string(a.step) + "\n";
    }
    return text;
}

/// Warps by cycle; the series must not have merged points.
std::vector<int> by_cycle(const OccupancyOverTime& series)
{
    std::vector<int> warps;
    for (std::size_t i = 0; i + 1 < series.points.size(); ++i) {
        warps.resize(static_cast<std::size_t>(series.points[i + 1].cycle),
                     static_cast<int>(series.points[i].warps));
    }
    return warps;
}

/// The reference's results in the form of the simulator's, as far as it has them.
SimulationResult with_reference(SimulationResult result, const ReferenceTiming& want)
{
    result.cycles = Cycles{want.cycles};
    result.groups = 0;
    for (std::size_t i = 0; i < want.cores.size(); ++i) {
        CoreResult& core = result.cores[i];
        core.warps = want.cores[i].warps;
        core.occupancy_groups = want.cores[i].occupancy_groups;
        core.cycles = Cycles{want.cores[i].cycles};
        core.stalls = want.cores[i].stalls;
        core.reservation_failures = want.cores[i].failures;
        core.l1 = want.cores[i].l1;
        result.groups += want.cores[i].groups;
    }
    return result;
}

} // namespace

TEST_CASE("the timed mode agrees with a simulator that steps through time, cycle for cycle")
{
    ReservationFailures failures; // that the cases reach what they are meant to reach
    StallStatistics stalls;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        SimulationCase c = quarter_cycle_case(seed);
        for (Image& image : c.images) {
            image.address_mode = AddressMode::edge; // so that observers are told of every access
        }
        INFO("seed " << seed << "\n" << describe(c));
        const ReferenceTiming want = reference_timing(c);
        Recorder recorder;
        std::vector<SimulationObserver*> observers{&recorder};
        const SimulationResult got = simulate(*c.source(), c.options, observers);
        REQUIRE(issues_text(recorder) == issues_text(want));
        REQUIRE(result_difference(with_reference(got, want), got) == "");
        for (std::size_t core = 0; core < want.cores.size(); ++core) {
            REQUIRE(by_cycle(got.cores[core].occupancy_over_time) == want.cores[core].resident);
            failures += got.cores[core].reservation_failures;
            stalls += got.cores[core].stalls;
        }
    }
    CHECK(failures.no_entry > 1000);
    CHECK(failures.no_merge_slot > 100);
    for (const auto reason :
         {&StallStatistics::waiting_for_data, &StallStatistics::alu_busy,
          &StallStatistics::texture_unit, &StallStatistics::outstanding_misses,
          &StallStatistics::merge_slots, &StallStatistics::latency_fifo, &StallStatistics::idle}) {
        CHECK(stalls.*reason > 100);
    }
}

TEST_CASE(
    "the timed mode agrees with the stepping simulator where accesses read only the border, too")
{
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        const SimulationCase c = quarter_cycle_case(seed + 10000);
        INFO("seed " << seed << "\n" << describe(c));
        const SimulationResult got = simulate(*c.source(), c.options);
        REQUIRE(result_difference(with_reference(got, reference_timing(c)), got) == "");
    }
}

namespace {

/// What every warp of a launch does, as its code has it (warp_code_test.cpp looks at that).
std::deque<ReferenceStep> reference_steps(const LaunchCase& c)
{
    std::deque<ReferenceStep> steps;
    StoreSectors stores(c.launch, c.options);
    const WarpCode code(&c.launch, c.options, &stores);
    for (CodePosition at(code); at.step().kind != WarpCode::Kind::end; at.next()) {
        const WarpCode::Step& step = at.step();
        ReferenceStep& out = steps.emplace_back();
        out.kind = step.kind == WarpCode::Kind::read   ? ReferenceStep::Kind::read
                   : step.kind == WarpCode::Kind::skip ? ReferenceStep::Kind::skip
                                                       : ReferenceStep::Kind::work;
        out.under_way = step.under_way;
        out.barrier = step.barrier;
        out.port = ticks(step.cycles);
        out.own = std::max(out.port, ticks(step.gap));
        out.stored = step.store_port + step.spilled;
        const auto bandwidth = c.options.machine.timing.local_bytes_per_cycle;
        out.local = bandwidth ? ticks(step.local / *bandwidth) : 0;
    }
    return steps;
}

/// The launch's accesses as rows.
SimulationCase as_rows(const LaunchCase& c)
{
    SimulationCase rows{c.launch.images, {}, c.options};
    const auto source = make_trace_source(c.launch);
    for (std::int64_t group = 0; group < source->group_count(); ++group) {
        for (const std::int32_t warp : source->warps(group, c.options.machine.warp_size)) {
            const auto stream = source->open(group, warp, c.options.machine.warp_size);
            for (WarpAccess access; stream->next(access);) {
                for (const LaneRead& lane : access.lanes) {
                    rows.rows.push_back({group, warp * c.options.machine.warp_size + lane.lane,
                                         access.step, lane.image, lane.texel});
                }
            }
        }
    }
    return rows;
}

} // namespace

TEST_CASE(
    "launches with work between their reads agree with the stepping simulator, cycle for cycle")
{
    int compared = 0;
    int with_barriers = 0;
    int with_local = 0;
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        Random random(seed + 77000);
        LaunchCase c = random_launch_case(random);
        c.options = quarter_cycle_case(seed).options;
        add_work(random, c);
        // A cycle for each operation of a warp.
        c.options.machine.timing.alu_lanes =
            c.options.machine.warp_size * c.options.machine.instructions.partitions;
        for (Image& image : c.launch.images) {
            image.address_mode = AddressMode::edge;
        }
        constexpr std::int64_t most_reads = 1200;
        constexpr double most_cycles = 5000; // for stores
        if (reads_per_item(c.launch.body) * c.launch.group_count() * c.launch.group_size() >
                most_reads ||
            WarpCode(&c.launch, c.options).totals().stored *
                    static_cast<double>(c.launch.group_count() * c.launch.group_size()) >
                most_cycles * c.options.machine.l2().bytes_per_cycle) {
            continue; // the reference is slow
        }
        const SimulationCase rows = as_rows(c);
        const std::deque<ReferenceStep> steps = reference_steps(c);
        if (rows.rows.empty()) {
            continue;
        }
        INFO("seed " << seed << "\n" << describe(c));
        const ReferenceTiming want = reference_timing(rows, steps);
        // by patterns of lines
        const SimulationResult got = simulate(*make_trace_source(c.launch), c.options);
        Recorder recorder;
        std::vector<SimulationObserver*> observers{&recorder};
        const SimulationResult watched =
            simulate(*make_trace_source(c.launch), c.options, observers);
        REQUIRE(issues_text(recorder) == issues_text(want));
        REQUIRE(result_difference(with_reference(got, want), got) == "");
        REQUIRE(watched.cycles == got.cycles);
        ++compared;
        with_barriers +=
            std::ranges::any_of(steps, [](const ReferenceStep& step) { return step.barrier; }) ? 1
                                                                                               : 0;
        with_local +=
            std::ranges::any_of(steps, [](const ReferenceStep& step) { return step.local > 0; })
                ? 1
                : 0;
    }
    CHECK(compared > 150);
    CHECK(with_barriers > 20);
    CHECK(with_local > 50);
}
