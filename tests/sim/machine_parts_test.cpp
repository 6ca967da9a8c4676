// Widths of the texture unit, banks of caches and channels of memory: against the simulator that
// steps through time, and closed forms.

#include "sim/memory/address_turns.hpp"
#include "sim/options/occupancy.hpp"
#include "tests/sim/launch_with_work.hpp"
#include "tests/sim/reference_timing.hpp"
#include "tests/sim/timed_case.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::sim;
using namespace texelscope::test;

TEST_CASE("with texture.return, banks and channels the timed mode agrees with the stepping "
          "simulator",
          "[machine-parts]")
{
    int slower = 0;
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        SimulationCase c = quarter_cycle_case_of_machine_parts(seed);
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
        slower += want.cycles > reference_timing(quarter_cycle_case_with_level(seed)).cycles;
    }
    CHECK(slower > 300); // the cases reach what they are meant to reach
}

TEST_CASE("launches by patterns of lines take the time of launches lane by lane, with these parts",
          "[machine-parts]")
{
    int longer = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed + 88'000);
        LaunchCase c = random_launch_case(random);
        c.options = quarter_cycle_case_of_machine_parts(seed).options;
        add_work(random, c);
        c.options.machine.timing.alu_lanes = c.options.machine.warp_size;
        INFO("seed " << seed << "\n" << describe(c));
        SimulationObserver nobody; // whoever is watched goes lane by lane
        std::vector<SimulationObserver*> observers{&nobody};
        const auto source = make_trace_source(c.launch);
        const SimulationResult by_lanes = simulate(*source, c.options, observers);
        const SimulationResult by_patterns = simulate(*source, c.options);
        REQUIRE(by_patterns.cycles == by_lanes.cycles);
        c.options.machine.timing.texture_return = {};
        longer += simulate(*source, c.options).cycles < by_patterns.cycles ? 1 : 0;
    }
    CHECK(longer > 60);
}

namespace {

/// `warps` warps of 16 lanes, each of which reads `reads` times the one texel (0, 0).
SimulationCase one_texel(int warps, std::uint32_t reads)
{
    SimulationCase c = burst({});
    c.options.machine.warp_size = 16;
    c.options.machine.instructions.reads_in_flight = 64;
    for (std::int32_t item = 0; item < warps * 16; ++item) {
        for (std::uint32_t step = 0; step < reads; ++step) {
            c.rows.push_back({0, item, step, 0, {0, 0}});
        }
    }
    return c;
}

} // namespace

TEST_CASE("lanes that share a texel are handed it back one by one", "[machine-parts]")
{
    SimulationCase c = one_texel(2, 30);
    const std::int64_t free = cycles_of(c);
    // 16 lanes of 16 B, and 60 reads: the unit is held for 16 * 16 / width cycles by each. The last
    // of them has its data when those of its last lane are back, a latency after its first ones.
    for (const std::int64_t width : {16, 32, 64, 128}) {
        c.options.machine.timing.texture_return = static_cast<double>(width);
        const std::int64_t each = 16 * 16 / width;
        CHECK(cycles_of(c) == std::max<std::int64_t>(free, 59 * each + 70 + each - 1));
    }
    c.options.machine.timing.texture_return = 256; // a cycle for each read, as its lookup takes
    CHECK(cycles_of(c) == free);
    // Half texels take half of the time.
    c.options.machine.timing.texture_return = 16;
    const std::int64_t whole = cycles_of(c);
    c.images[0].bytes_per_texel = Bytes{8};
    CHECK(cycles_of(c) == 59 * 8 + 70 + 8 - 1);
    CHECK(whole == 59 * 16 + 70 + 16 - 1);
}

TEST_CASE("with a queue the texture unit works while arithmetic holds the issue port",
          "[machine-parts]")
{
    // Two warps, each of which goes 50 times through four reads, which hold the unit for 8 cycles
    // each, and 36 cycles of arithmetic that need them.
    Launch launch;
    launch.kernel = "turns";
    launch.local = {32, 1, 1};
    launch.images.push_back({"A", {4, 4}, Bytes{16}});
    Loop turns{Variable{slots::first_loop_slot, "r", {0, 49}}, {}};
    for (int i = 0; i < 4; ++i) {
        turns.body.emplace_back(AccessFunction{0, IndexExpr(0), IndexExpr(0)});
    }
    turns.body.emplace_back(Work{.operations = 36, .reads_since = 0});
    launch.body.emplace_back(turns);
    SimulationOptions options = burst({}).options;
    options.machine.warp_size = 16;
    options.machine.warp_schedule = WarpSchedule::gto;
    options.machine.l1().latency = Cycles{1};
    options.machine.timing.memory_latency = Cycles{1};
    options.machine.timing.alu_lanes = 16;
    options.machine.instructions = {
        .reads_in_flight = 4, .read = 1, .gap = 1, .unroll_iterations = 0};
    options.machine.timing.texture_return = 32; // 16 lanes of 16 B
    const auto cycles = [&](int queue) {
        options.machine.timing.texture_queue = queue;
        return simulate(*make_trace_source(launch), options).cycles->value;
    };
    // While one warp computes, the unit serves the four reads that the other has put into its
    // queue. Only the first reads, and the last arithmetic, have nothing beside them.
    const std::int64_t port = std::int64_t{2} * 50 * (4 + 36);
    CHECK(cycles(4) >= port);
    CHECK(cycles(4) < port + 100);
    // Without it three of four reads wait until no warp computes.
    CHECK(cycles(0) > port + std::int64_t{50} * 2 * 8);
    CHECK(cycles(1) > cycles(4));
}

TEST_CASE("texture.block of 0: so many lanes in a cycle, however far apart", "[machine-parts]")
{
    SimulationCase c = one_texel(2, 30);
    c.options.machine.timing.texture_lanes = 4;
    c.options.machine.timing.texture_block = Bytes{0};
    c.options.machine.timing.lookups_per_cycle = 64; // of 16 lines: quicker than their addresses
    Random random(7);
    // Far apart, in random places of an image that L1 holds: the first pass over it misses.
    for (TraceRow& row : c.rows) {
        row.texel = {random.small(0, 63), random.small(0, 3)};
    }
    c.options.machine.l1().latency = Cycles{1};
    c.options.machine.timing.memory_latency = Cycles{1};
    CHECK(cycles_of(c) == 60 * 4 + 1 - 1);
    c.options.machine.timing.texture_lanes = 5; // the last turn takes one lane
    CHECK(cycles_of(c) == 60 * 4);
    c.options.machine.timing.texture_lanes = 16;
    CHECK(cycles_of(c) < 60 * 2);
    c.options.machine.timing.texture_block = Bytes{16};
    CHECK(cycles_of(c) > 60 * 10); // a texel each
}

TEST_CASE("requests to one bank wait for each other, those to different banks do not",
          "[machine-parts]")
{
    // 16 single-lane warps that read a line each: of one bank, and of all.
    SimulationCase c = burst({});
    c.options.machine.l2().geometry = {.capacity = Bytes{1 << 16}, .line = Bytes{16}};
    c.options.machine.l2().bytes_per_cycle = 16; // a line a cycle
    c.options.mode.warm_l2 = true;
    const auto cycles = [&](std::int32_t stride, std::optional<int> banks) {
        c.options.machine.l2().banks = banks;
        c.rows.clear();
        for (std::int32_t i = 0; i < 16; ++i) {
            c.rows.push_back({0, i, 0, 0, {i * stride % 64, i * stride / 64}});
        }
        return cycles_of(c);
    };
    constexpr std::int64_t l2 = 130;
    CHECK(cycles(1, {}) == 15 + l2);
    CHECK(cycles(1, 4) == 15 + l2); // four in turn
    CHECK(cycles(4, {}) == 15 + l2);
    CHECK(cycles(4, 4) == 15 * 4 + l2);         // all in one of four
    CHECK(cycles(4, 5) == 15 + l2);             // a number that has no divisor with the pitch
    CHECK(cycles(2, 4) == 14 / 2 * 4 + 1 + l2); // in two of four
    // The same of memory.
    c.options.mode.warm_l2 = false;
    c.options.machine.l2().bytes_per_cycle = 1e9;
    Timing& timing = c.options.machine.timing;
    timing.memory_bytes_per_cycle = 16;
    timing.memory_channels = 4;
    timing.memory_interleave = Bytes{16};
    CHECK(cycles(1, {}) == 15 + 310);
    CHECK(cycles(4, {}) == 15 * 4 + 310);
    timing.memory_interleave = Bytes{64};
    CHECK(cycles(4, {}) == 15 + 310);
}

TEST_CASE("warps of twice the size where few registers and many work-items allow it",
          "[machine-parts]")
{
    SimulationOptions options;
    options.machine.warp_size = 64;
    options.machine.register_step = 4;
    CHECK_FALSE(has_double_warps(options, 1024)); // no device has them by itself
    options.machine.double_warp_registers = 48;
    CHECK_FALSE(has_double_warps(options, 1024)); // registers are not known
    options.kernel.registers_per_item = 45;       // 48, in steps of four
    CHECK(has_double_warps(options, 65));
    CHECK_FALSE(has_double_warps(options, 64));
    options.kernel.registers_per_item = 49;
    CHECK_FALSE(has_double_warps(options, 1024));
    // A warp of twice the size takes twice the registers: floor(96 / (n * 2)) * 2 of Mesa's
    // ir3_get_reg_dependent_max_waves(), with n registers of four.
    options.machine.registers_per_core = 96 * 4 * 64 * 2;
    options.machine.register_partitions = 2;
    options.machine.warps_per_core = 16;
    for (int fours = 1; fours <= 12; ++fours) {
        options.kernel.registers_per_item = 4 * fours;
        SimulationOptions wide = options;
        wide.machine = with_double_warps(options.machine);
        CHECK(wide.machine.warp_size == 128);
        CHECK_FALSE(has_double_warps(wide, 1024)); // and not four times
        CHECK(occupancy(wide).warps == std::min(16, 96 / (fours * 2) * 2));
        CHECK(occupancy(options).warps == std::min(16, 96 / fours * 2));
    }
}
