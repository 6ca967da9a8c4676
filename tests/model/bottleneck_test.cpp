#include "model/bottleneck/bottleneck.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace texelscope::model;

namespace {

/// Eight lookups go out one a cycle; eight lines of 64 B pass the memory's port one every two
/// cycles.
constexpr double hit = 80, from_l2 = 115, from_memory = 200, of_eight = 7, from_port = 2;

/// One core of four warps of 8 work-items, 1 lookup a cycle, L1 of 16 lines of 64 B, L2 of 64 such
/// lines.
SimulationOptions four_warp_device()
{
    SimulationOptions options;
    options.machine.warp_size = 8;
    options.kernel.occupancy = 4;
    options.machine.l1().geometry = {.capacity = Bytes{1024}, .line = Bytes{64}};
    options.machine.l2().geometry = {.capacity = Bytes{4096}, .line = Bytes{64}};
    options.machine.l1().latency = Cycles{80};
    options.machine.l2().latency = Cycles{115};
    options.machine.timing.memory_latency = Cycles{200};
    options.machine.l2().bytes_per_cycle = 64;
    options.machine.timing.memory_bytes_per_cycle = 32;
    options.machine.timing.outstanding_misses = 64;
    return options;
}

std::vector<double> counting(int count, double each = 1)
{
    std::vector<double> table;
    for (int i = 1; i <= count; ++i) {
        table.push_back(each * i);
    }
    return table;
}

/// Reads that come back to a line after so many lines, the first of them its own.
ReadStream::Returns after(float lines)
{
    LineWindow window;
    window.lines = lines;
    window.sets = SetCover::first();
    return {{ReadStream::Return::itself, {window}}};
}

/// One input, a line for each work-item along x, read `count` times in this way.
ReadStream one_input(const ReadStream::Returns& returns, double count, std::size_t levels = 2)
{
    ReadStream stream;
    ReadStream::Input input;
    ReadStream::Input::AtLevel level;
    level.granules.along[0] = counting(8);
    level.lines.along[0] = {
        counting(8), {0, 1, 2, 3, 4, 5, 6, 7}, counting(8), std::vector<double>(8, 0)};
    input.levels.assign(levels, level);
    stream.inputs = {input};
    stream.reads = {{0, std::vector(levels, returns), count}};
    stream.whole.assign(levels, {LineWindow{1e9F, 0, 0, {}}});
    stream.inputs[0].stored_bytes = 1e9;
    return stream;
}

WorkGrid row_of_items(std::int64_t tiles, std::int64_t group)
{
    return {.tiles = {tiles, 1, 1}, .group = {group, 1, 1}, .warp = {8, 1}};
}

const ReadStream::Returns never;

} // namespace

TEST_CASE("One warp waits for each of its reads", "[bottleneck]")
{
    const BottleneckCost cost =
        bottleneck_cost(one_input(never, 10), row_of_items(8, 8), four_warp_device());
    CHECK(cost.resident_warps == 1);
    CHECK(cost.waves == 1);
    CHECK(cost.cycles == Approx(10 * (from_memory + of_eight * from_port)));
    CHECK(cost.latency == Approx(cost.cycles));
}

TEST_CASE("What was read before costs a hit while it is still there", "[bottleneck]")
{
    // One warp: 8 lines at once, 16 in L1, 64 in L2.
    const auto cycles = [](float lines) {
        return bottleneck_cost(one_input(after(lines), 1), row_of_items(8, 8), four_warp_device())
            .cycles;
    };
    CHECK(cycles(1) == Approx(hit + 7));
    // as many lines as there is room for: half of them
    CHECK(cycles(2) == Approx((hit + from_l2) / 2 + 7));
    CHECK(cycles(3) == Approx(from_l2 + 7));
    CHECK(cycles(7) == Approx(from_l2 + 7));
    CHECK(cycles(9) == Approx(from_memory + of_eight * from_port));
}

TEST_CASE("Lines that crowd in few sets are thrown out sooner", "[bottleneck]")
{
    ReadStream stream = one_input(after(1), 1);
    SimulationOptions device = four_warp_device();
    device.machine.l1().geometry.ways = 4; // four sets
    for (int& bit : stream.inputs[0].levels[0].lines.along[0].bits) {
        bit %= 4;
    }
    CHECK(bottleneck_cost(stream, row_of_items(8, 8), device).cycles == Approx(hit + 7));
    stream.inputs[0].levels[0].lines.along[0].bits.assign(8, 0);
    CHECK(bottleneck_cost(stream, row_of_items(8, 8), device).cycles == Approx(from_l2 + 7));
}

TEST_CASE("Work-items find what those beside them have read, but for the outermost", "[bottleneck]")
{
    ReadStream::Returns beside = after(1);
    beside[0].axis = 0;
    const double cycles =
        bottleneck_cost(one_input(beside, 8), row_of_items(8, 8), four_warp_device()).cycles;
    CHECK(cycles == Approx(7 * (hit + 7) + from_memory + of_eight * from_port));
}

TEST_CASE(
    "Waves find what does not change from one to the next, while there is room for a whole wave",
    "[bottleneck]")
{
    SimulationOptions device = four_warp_device();
    device.kernel.occupancy = 1;
    ReadStream stream = one_input(never, 1);
    stream.inputs[0].levels.assign(2, {}); // all work-items read the same
    stream.inputs[0].stored_bytes = 1e9;
    stream.whole[0][0].lines = 8;
    stream.whole[0][0].sets = SetCover::first();
    CHECK(bottleneck_cost(stream, row_of_items(80, 8), device).cycles ==
          Approx(from_memory + 9 * hit));
    stream.whole[0][0].lines = 32;
    stream.whole[1] = stream.whole[0];
    CHECK(bottleneck_cost(stream, row_of_items(80, 8), device).cycles ==
          Approx(from_memory + 9 * from_l2));
}

TEST_CASE("Four warps side by side share the memory port", "[bottleneck]")
{
    const BottleneckCost cost =
        bottleneck_cost(one_input(never, 10), row_of_items(32, 32), four_warp_device());
    CHECK(cost.resident_warps == 4);
    // 32 lines take 64 cycles at the port
    CHECK(cost.cycles == Approx(10 * (from_memory + of_eight * from_port)));
    SimulationOptions narrow = four_warp_device();
    narrow.machine.timing.memory_bytes_per_cycle = 4;
    const BottleneckCost bound =
        bottleneck_cost(one_input(never, 10), row_of_items(32, 32), narrow);
    CHECK(bound.cycles == Approx(10 * 32 * 64 / 4.0));
    CHECK(bound.memory_bandwidth == Approx(bound.cycles));
}

TEST_CASE("Waves follow each other", "[bottleneck]")
{
    const BottleneckCost cost =
        bottleneck_cost(one_input(never, 10), row_of_items(96, 8), four_warp_device());
    CHECK(cost.waves == 3);
    CHECK(cost.cycles == Approx(3 * 10 * (from_memory + of_eight * from_port)));
}

TEST_CASE("Warps that read the same lines fetch them once", "[bottleneck]")
{
    ReadStream stream = one_input(never, 1);
    for (ReadStream::Input::AtLevel& level : stream.inputs[0].levels) {
        std::swap(level.granules.along[0], level.granules.along[1]);
        std::swap(level.lines.along[0], level.lines.along[1]);
    }
    SimulationOptions narrow = four_warp_device();
    narrow.machine.timing.memory_bytes_per_cycle = 1;
    // Four warps in a row, one line for all.
    CHECK(bottleneck_cost(stream, row_of_items(32, 32), narrow).cycles == Approx(from_memory));
    // One above the other, each has its own.
    const WorkGrid column{.tiles = {8, 4, 1}, .group = {8, 4, 1}, .warp = {8, 1}};
    CHECK(bottleneck_cost(stream, column, narrow).cycles == Approx(4 * 64.0));
}

TEST_CASE("A warp has as many work-items as lanes, whatever the warp shape", "[bottleneck]")
{
    const ReadStream stream = one_input(never, 1);
    const auto cost = [&](std::array<std::int64_t, 3> group, std::array<std::int64_t, 2> warp,
                          std::int64_t split = 1) {
        return bottleneck_cost(stream,
                               {.tiles = group, .group = group, .warp = warp, .split = split},
                               four_warp_device());
    };
    CHECK(cost({8, 1, 1}, {8, 1}).resident_warps == 1);
    CHECK(cost({32, 1, 1}, {32, 1}).resident_warps == 4);  // a large block is cut
    CHECK(cost({4, 8, 1}, {4, 8}).resident_warps == 4);    // row by row: 4x2
    CHECK(cost({4, 2, 1}, {2, 2}).resident_warps == 1);    // two small blocks, side by side
    CHECK(cost({2, 4, 1}, {2, 2}).resident_warps == 1);    // one above the other
    CHECK(cost({2, 2, 2}, {2, 2}).resident_warps == 1);    // one behind the other
    CHECK(cost({4, 1, 1}, {4, 1}, 2).resident_warps == 1); // work-items that share tiles fill it up
    CHECK(cost({4, 1, 1}, {4, 1}, 4).resident_warps == 2);
    CHECK(cost({4, 1, 1}, {4, 1}).cycles == Approx(from_memory + 3 * from_port));
}

TEST_CASE("A level between L1 and L2 serves what fits into it, at its latency and through its port",
          "[bottleneck]")
{
    // L1 of 16 lines, then 32 lines of each core, then L2 of 64; a read touches 8 lines.
    SimulationOptions device = four_warp_device();
    const auto with_level = [](SimulationOptions options, bool shared, double bytes_per_cycle) {
        options.machine.caches.insert(options.machine.caches.begin() + 1,
                                      {.name = "MID",
                                       .geometry = {.capacity = Bytes{2048}, .line = Bytes{64}},
                                       .latency = Cycles{95},
                                       .bytes_per_cycle = bytes_per_cycle,
                                       .shared = shared});
        return options;
    };
    const auto cost = [&](float lines, const SimulationOptions& options, std::int64_t tiles = 8) {
        return bottleneck_cost(one_input(after(lines), 1, options.machine.caches.size()),
                               row_of_items(tiles, tiles), options);
    };
    const SimulationOptions three = with_level(device, false, 64);
    CHECK(cost(1, three).cycles == Approx(hit + 7));
    CHECK(cost(3, three).cycles == Approx(95 + 7));
    CHECK(cost(7, three).cycles == Approx(from_l2 + 7));
    CHECK(cost(9, three).cycles == Approx(from_memory + of_eight * from_port));
    const BottleneckCost far = cost(9, three);
    REQUIRE(far.levels.size() == 3);
    CHECK(far.levels[1].name == "MID");
    CHECK((far.misses("L1") == 8 && far.misses("MID") == 8 && far.misses("L2") == 8));
    const BottleneckCost near = cost(3, three);
    CHECK((near.misses("L1") == 8 && near.misses("MID") == 0 && near.misses("L2") == 0));
    // A level of no bytes is not there.
    SimulationOptions none = with_level(device, false, 64);
    none.machine.caches[1].geometry.capacity = Bytes{0};
    CHECK(bottleneck_cost(one_input(after(7), 1), row_of_items(8, 8), none).cycles ==
          cost(7, device).cycles);

    // Eight lines of 64 B through a port of 1 B a cycle. A core's own port has no more to do where
    // there are two cores; one that cores share has twice as much.
    const auto port = [&](bool shared, int cores) {
        SimulationOptions narrow = with_level(device, shared, 1);
        narrow.machine.cores = cores;
        narrow.kernel.occupancy = 1;
        const BottleneckCost one = bottleneck_cost(
            one_input(never, 1, 3),
            {.tiles = {8 * cores, 1, 1}, .group = {8, 1, 1}, .warp = {8, 1}}, narrow);
        CHECK(one.levels[1].bandwidth == Approx(one.cycles));
        CHECK(one.cache_bandwidth() == one.levels[1].bandwidth);
        return one.cycles;
    };
    CHECK(port(false, 1) == Approx(8 * 64));
    CHECK(port(false, 2) == Approx(8 * 64));
    CHECK(port(true, 2) == Approx(2 * 8 * 64));

    // With a warm L2, nothing goes past the first shared level into which everything fits.
    SimulationOptions warm = with_level(device, true, 64);
    warm.mode.warm_l2 = true;
    ReadStream small = one_input(never, 10, 3);
    small.inputs[0].stored_bytes = 2048;
    CHECK(bottleneck_cost(small, row_of_items(8, 8), warm).misses("MID") == 0);
    small.inputs[0].stored_bytes = 2049;
    CHECK(bottleneck_cost(small, row_of_items(8, 8), warm).misses("MID") > 0);
    CHECK(bottleneck_cost(small, row_of_items(8, 8), warm).misses("L2") == 0);
}

TEST_CASE("Warps are handed out until all have run, whole waves or refilled slots", "[bottleneck]")
{
    SimulationOptions device = four_warp_device();
    const ReadStream stream = one_input(never, 10);
    // five groups, two at once
    CHECK(bottleneck_cost(stream, row_of_items(8 * 9, 16), device).waves == 3);
    device.machine.group_schedule = GroupSchedule::refill;
    const BottleneckCost refilled = bottleneck_cost(stream, row_of_items(8 * 10, 16), device);
    CHECK(refilled.resident_warps == 4);
    CHECK(refilled.waves == Approx(2.5));
    device.machine.group_schedule = GroupSchedule::whole; // two of two, and one of six in two parts
    CHECK(bottleneck_cost(stream, row_of_items(8 * 10, 16), device).waves == Approx(2.5));
    const BottleneckCost parts = bottleneck_cost(stream, row_of_items(8 * 6, 8 * 6), device);
    CHECK(parts.resident_warps == 3);
    CHECK(parts.waves == 2);
}

TEST_CASE("A spread goes on as it began", "[bottleneck]")
{
    LaneSpread spread;
    spread.along[0] = counting(4, 0.5);
    spread.along[1] = counting(2);
    CHECK(spread.units({4, 2, 9}) == Approx(4));
    CHECK(spread.units({8, 4, 1}) == Approx(16));
}

TEST_CASE("A texture unit that serves a few lanes at once takes a cycle for each block of memory "
          "they read in",
          "[bottleneck]")
{
    // A warp of eight lanes along x, in fours; n of them lie in n / 2 blocks, so each four take two
    // cycles.
    ReadStream stream = one_input(after(1), 10);
    stream.inputs[0].blocks.along[0] = {1, 1, 2, 2, 3, 3, 4, 4};
    SimulationOptions device = four_warp_device();
    device.machine.timing.texture_lanes = 4;
    device.machine.timing.lookups_per_cycle = 8; // quicker than their addresses
    const auto cycles = [&](const WorkGrid& grid) {
        return bottleneck_cost(stream, grid, device).cycles;
    };
    CHECK(cycles(row_of_items(8, 8)) == Approx(10 * (hit + 4 - 1)));
    device.machine.l1().latency = Cycles{1};
    device.machine.l1().geometry.capacity = Bytes{4096}; // holds all that four warps read
    const BottleneckCost four = bottleneck_cost(stream, row_of_items(32, 32), device);
    CHECK(four.cycles == Approx(10 * 4 * 4.0));
    CHECK(four.texture_unit == Approx(four.cycles));
    device.machine.timing.lookups_per_cycle = 0.5; // of 8 lines: longer than their addresses
    CHECK(bottleneck_cost(stream, row_of_items(32, 32), device).cycles == Approx(10 * 4 * 16.0));
    device.machine.timing.lookups_per_cycle = 8;
    // Two by four lanes: two fours of two by two, and rows make no difference to the memory.
    CHECK(cycles({.tiles = {2, 4, 1}, .group = {2, 4, 1}, .warp = {2, 4}}) == Approx(10 * 2));
}

TEST_CASE("Reads that are waited for together share a latency, and the code of a warp takes turns "
          "of the issue port",
          "[bottleneck]")
{
    SimulationOptions device = four_warp_device();
    ReadStream stream = one_input(never, 10);
    stream.code = {.reads = 10, .waits = 10 / 4.0, .cycles = 10, .alone = 20};
    CHECK(bottleneck_cost(stream, row_of_items(8, 8), device).cycles ==
          Approx(10 * (from_memory / 4 + of_eight * from_port + 2)));
    stream.code.cycles = 10 * 40;
    const BottleneckCost four = bottleneck_cost(stream, row_of_items(32, 32), device);
    CHECK(four.cycles == Approx(10 * 4 * 40.0));
    CHECK(four.issue == Approx(four.cycles));
    device.machine.instructions.partitions = 2;
    stream.code.cycles = 10 * 400; // more than any other bound, on half of the ports too
    CHECK(bottleneck_cost(stream, row_of_items(32, 32), device).issue ==
          Approx(10 * 4 * 400.0 / 2));
}

TEST_CASE("Reads that the compiler shares are not made, and stores leave by a port of their own",
          "[bottleneck]")
{
    SimulationOptions device = four_warp_device();
    ReadStream stream = one_input(never, 10);
    const double all = bottleneck_cost(stream, row_of_items(8, 8), device).cycles;
    stream.code = {.reads = 5, .skipped = 5, .waits = 5, .cycles = 5};
    CHECK(bottleneck_cost(stream, row_of_items(8, 8), device).cycles == Approx(all / 2));
    device.machine.l2().bytes_per_cycle = 4;
    stream.code = {.reads = 10, .waits = 10, .cycles = 10, .stored = 1e6};
    const BottleneckCost cost = bottleneck_cost(stream, row_of_items(8, 8), device);
    CHECK(cost.cycles == Approx(1e6 / 4));
    CHECK(cost.stores == Approx(cost.cycles));
    stream.code = {.reads = 10, .waits = 10, .cycles = 10, .operations = 1e3};
    device.kernel.registers_per_item = 24;
    device.kernel.spilled_registers = 20; // half of what is not a texel on its way
    CHECK(bottleneck_cost(stream, row_of_items(8, 8), device).stores ==
          Approx(1e3 * device.machine.warp_size * 2 * 4 * 0.5 / 4));
}

TEST_CASE("Bounds of a launch are joined by a norm where they overlap", "[bottleneck]")
{
    SimulationOptions device = four_warp_device();
    ReadStream stream = one_input(never, 10);
    stream.code = {.reads = 10, .waits = 10, .cycles = 300, .alone = 300, .stored = 100};
    const auto cost = [&](std::optional<double> overlap) {
        return bottleneck_cost(stream, row_of_items(32, 32), device, {overlap});
    };
    const BottleneckCost slowest = cost({});
    const BottleneckCost sum = cost(1);
    const BottleneckCost norm = cost(2);
    CHECK(cost(60).cycles == Approx(slowest.cycles).epsilon(0.02)); // all rounds are alike
    CHECK(sum.cycles == Approx(sum.latency + sum.issue + sum.texture_unit + sum.cache_bandwidth() +
                               sum.memory_bandwidth + sum.outstanding_misses + sum.stores));
    CHECK(sum.cycles > norm.cycles);
    CHECK(norm.cycles > slowest.cycles);
    const double many = 1e9; // powers of such bounds are beyond a double
    ReadStream long_one = one_input(never, many);
    long_one.code = {
        .reads = many, .waits = many, .cycles = 30 * many, .alone = 30 * many, .stored = 10 * many};
    CHECK(bottleneck_cost(long_one, row_of_items(32, 32), device, {64.0}).cycles ==
          Approx(many / 10 * slowest.cycles).epsilon(0.02));
    double squares = 0;
    for (const double bound : {sum.latency, sum.issue, sum.texture_unit, sum.cache_bandwidth(),
                               sum.memory_bandwidth, sum.outstanding_misses, sum.stores}) {
        squares += bound * bound;
    }
    CHECK(norm.cycles == Approx(std::sqrt(squares)));
    CHECK(norm.by_input[0] == Approx(norm.cycles));
    CHECK(norm.latency == Approx(sum.latency * sum.latency / norm.cycles));
}

TEST_CASE("Images that the launch before has left in L2 cost no read from memory", "[bottleneck]")
{
    SimulationOptions device = four_warp_device();
    const auto cost = [&](bool warm, double stored) {
        device.mode.warm_l2 = warm;
        ReadStream stream = one_input(never, 10);
        stream.inputs[0].stored_bytes = stored;
        return bottleneck_cost(stream, row_of_items(8, 8), device).cycles;
    };
    REQUIRE(device.machine.has_l2());
    const auto l2 = static_cast<double>(device.machine.l2().geometry.capacity.value);
    const auto saved = static_cast<double>(
        (device.machine.timing.memory_latency - device.machine.l2().latency).value);
    // 80 lines are read of images of 64.
    CHECK(cost(false, l2) - cost(true, l2) ==
          Approx(0.8 * 10 * (saved + of_eight * (from_port - 1))));
    CHECK(cost(true, l2 + 1) == cost(false, l2 + 1));
    // What is written takes room there, too.
    const auto writing = [&](bool warm, double read) {
        device.mode.warm_l2 = warm;
        ReadStream stream = one_input(never, 10);
        stream.inputs[0].stored_bytes = read;
        stream.output.emplace().stored_bytes = 8;
        return bottleneck_cost(stream, row_of_items(8, 8), device).cycles;
    };
    CHECK(writing(true, l2 - 8) < writing(false, l2 - 8));
    CHECK(writing(true, l2 - 7) == writing(false, l2 - 7));
}
