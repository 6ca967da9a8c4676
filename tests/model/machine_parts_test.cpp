// The bottleneck model's parts of a machine by closed forms and plain counts: what the texture unit
// hands back, banks, waves that are not full, spilled registers.

#include "model/bottleneck/bottleneck.hpp"
#include "sim/timed/spill_code.hpp"
#include "tests/base/random.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace texelscope::model;
using texelscope::test::Random;

namespace {

/// Cores of warps of 8, whose L1 and bandwidths do not limit anything.
SimulationOptions wide_device(int cores, int warps)
{
    SimulationOptions options;
    options.machine.cores = cores;
    options.machine.warp_size = 8;
    options.kernel.occupancy = warps;
    options.machine.l1().geometry = {.capacity = Bytes{1 << 20}, .line = Bytes{64}};
    options.machine.l1().latency = Cycles{1};
    options.machine.timing.lookups_per_cycle = 1e6;
    return options;
}

/// One input; each work-item reads one and the same texel over and over, which L1 has.
ReadStream one_texel(double count)
{
    ReadStream stream;
    stream.inputs.resize(1);
    stream.inputs[0].levels.resize(2);
    stream.inputs[0].stored_bytes = 64;
    LineWindow window;
    window.lines = 1;
    window.sets = SetCover::first();
    const ReadStream::Returns itself{{ReadStream::Return::itself, {window}}};
    stream.reads = {{0, {itself, itself}, count}};
    stream.whole.assign(2, {window});
    stream.code = {.reads = count, .waits = count, .cycles = count};
    return stream;
}

} // namespace

TEST_CASE("A read holds the texture unit until each lane has its texel", "[machine-parts]")
{
    SimulationOptions device = wide_device(1, 4);
    ReadStream stream = one_texel(1000);
    const WorkGrid grid{.tiles = {32, 1, 1}, .group = {32, 1, 1}, .warp = {8, 1}};
    const double free = bottleneck_cost(stream, grid, device).cycles;
    CHECK(free < 5000);
    device.machine.timing.texture_return = 4;
    const BottleneckCost cost = bottleneck_cost(stream, grid, device);
    CHECK(cost.texture_unit == Approx(1000 * 4 * (8 * 16 / 4.0)));
    CHECK(cost.cycles == Approx(cost.texture_unit).epsilon(0.001));
    stream.inputs[0].texel_bytes = 8; // half precision
    CHECK(bottleneck_cost(stream, grid, device).texture_unit == Approx(cost.texture_unit / 2));
    // One warp alone has its last data a latency after its last bytes.
    const WorkGrid alone{.tiles = {8, 1, 1}, .group = {8, 1, 1}, .warp = {8, 1}};
    CHECK(bottleneck_cost(stream, alone, device).cycles ==
          Approx(1000 * (1 + 16 - 1)).epsilon(0.001));
    // So many lanes in a cycle, wherever they read.
    device.machine.timing.texture_return = {};
    device.machine.timing.texture_lanes = 3;
    device.machine.timing.texture_block = Bytes{0};
    CHECK(bottleneck_cost(stream, grid, device).texture_unit == Approx(1000 * 4 * 3.0));
}

TEST_CASE("The busiest of some banks is that of a plain count", "[machine-parts]")
{
    int uneven = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        BankSpread spread;
        spread.banks = static_cast<int>(random.between(1, 9));
        std::array<std::int64_t, 3> items{};
        std::array<std::int64_t, 3> step{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            items[axis] = random.between(1, 6);
            // Lines of different work-items never meet, so that those of a box are sums.
            step[axis] =
                axis == 0 ? random.between(1, 5) : 1000 * step[axis - 1] + random.between(0, 9);
            for (std::int64_t n = 0; n < 6 && step[axis] > 0; ++n) {
                spread.along[axis].banks.push_back(static_cast<int>(n * step[axis] % spread.banks));
                spread.along[axis].lines.push_back(static_cast<std::int32_t>(n + 1));
            }
        }
        std::map<std::int64_t, int> lines_of;
        std::int64_t lines = 0;
        for (std::int64_t z = 0; z < items[2]; ++z) {
            for (std::int64_t y = 0; y < items[1]; ++y) {
                for (std::int64_t x = 0; x < items[0]; ++x) {
                    ++lines_of[(x * step[0] + y * step[1] + z * step[2]) % spread.banks];
                    ++lines;
                }
            }
        }
        int busiest = 0;
        for (const auto& [bank, count] : lines_of) {
            busiest = std::max(busiest, count);
        }
        INFO("seed " << seed);
        const double want =
            static_cast<double>(busiest) * spread.banks / static_cast<double>(lines);
        CHECK(spread.crowding(items) == Approx(want));
        uneven += want > 1.001 ? 1 : 0;
    }
    CHECK(uneven > 150);
}

TEST_CASE("A work-group has as many warps as its work-items fill", "[machine-parts]")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        Launch launch;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            launch.local[axis] = static_cast<std::int32_t>(random.between(1, axis == 2 ? 4 : 20));
            launch.groups[axis] = 2;
        }
        launch.images = {{"A", {8, 8}, Bytes{16}}};
        launch.body = {AccessFunction{0, IndexExpr(0), IndexExpr(0)}};
        SimulationOptions device = wide_device(1, 4096);
        device.machine.warp_size = static_cast<int>(random.between(1, 70));
        const Dim3& local = launch.local;
        const WorkGrid grid{.tiles = {2 * local[0], 2 * local[1], 2 * local[2]},
                            .group = {local[0], local[1], local[2]},
                            .warp = {local[0], local[1]}};
        const auto source = make_trace_source(launch);
        const auto warps = source->warps(0, device.machine.warp_size).size();
        INFO("seed " << seed);
        const Wave wave = wave_of(grid, device);
        REQUIRE(wave.group_warps == static_cast<std::int64_t>(warps));
        // The last one may be partly empty.
        const double full = static_cast<double>(wave.warp[0] * wave.warp[1] * wave.warp[2]);
        CHECK(wave.filled <= 1);
        CHECK(wave.filled * full * static_cast<double>(warps) <=
              Approx(static_cast<double>(launch.group_size())));
        if (launch.group_size() % device.machine.warp_size == 0 &&
            local[0] % device.machine.warp_size == 0) {
            CHECK(wave.filled == 1);
        }
    }
}

TEST_CASE("Waves hold all work-groups of a launch, and no more of them", "[machine-parts]")
{
    int not_full = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        Random random(seed);
        const auto cores = static_cast<int>(random.between(1, 7));
        const auto most = static_cast<int>(random.between(1, 12));
        const SimulationOptions device = wide_device(cores, most);
        const std::int64_t group = 8 * random.between(1, 5); // whole warps
        const std::int64_t count = random.between(1, 60);
        const WorkGrid grid{.tiles = {group * count, 1, 1}, .group = {group, 1, 1}, .warp = {8, 1}};
        // Work-groups one by one, as the batch schedule takes them: those of each core in turn.
        std::map<std::int64_t, std::int64_t> of_core;
        for (std::int64_t i = 0; i < count; ++i) {
            ++of_core[i % cores];
        }
        const std::int64_t warps = group / 8;
        const std::int64_t side_by_side = std::max<std::int64_t>(1, most / warps);
        const std::int64_t passes = warps > most ? (warps + most - 1) / most : 1; // of one group
        const std::int64_t turns = (of_core[0] + side_by_side - 1) / side_by_side;
        const Wave wave = wave_of(grid, device);
        const auto last = last_wave_of(grid, device);
        INFO("seed " << seed);
        CHECK(wave.waves == static_cast<double>(turns * passes));
        const double of_last = last ? last->waves : 0;
        const auto groups_of = [&](const Wave& of, double waves) {
            return of.cores * static_cast<double>(of.warps) * waves;
        };
        if (warps <= most) {
            CHECK(groups_of(wave, wave.waves - of_last) + (last ? groups_of(*last, of_last) : 0) ==
                  Approx(static_cast<double>(count * warps)));
        }
        if (last) {
            ++not_full;
            const std::int64_t in_last = of_core[0] - (turns - 1) * side_by_side;
            CHECK(last->waves == static_cast<double>(passes));
            CHECK(last->cores <= cores);
            if (warps <= most) {
                CHECK(last->warps == in_last * warps);
            }
        }
    }
    CHECK(not_full > 200);
}

TEST_CASE("A wave that is not full takes the time of its warps", "[machine-parts]")
{
    // By arithmetic: 100 cycles of the issue port for each read of a warp. Four groups of a warp
    // run side by side, five come to a core.
    SimulationOptions device = wide_device(2, 4);
    ReadStream stream = one_texel(10);
    stream.code.cycles = 10 * 100;
    const auto cycles = [&](std::int64_t groups) {
        const WorkGrid grid{.tiles = {8 * groups, 1, 1}, .group = {8, 1, 1}, .warp = {8, 1}};
        return bottleneck_cost(stream, grid, device).cycles;
    };
    CHECK(cycles(8) == Approx(4 * 1000));
    CHECK(cycles(9) == Approx(5 * 1000)); // one core has a fifth
    CHECK(cycles(10) == Approx(5 * 1000));
    CHECK(cycles(13) == Approx(7 * 1000));
    CHECK(cycles(1) == Approx(1000)); // the other core has nothing to do
    // By stores, whose port all cores share, every group counts.
    stream.code.cycles = 10;
    stream.code.stored = 10 * 1e5;
    device.machine.l2().bytes_per_cycle = 1;
    CHECK(cycles(8) == Approx(8 * 1e6));
    CHECK(cycles(9) == Approx(9 * 1e6));
    CHECK(cycles(3) == Approx(3 * 1e6));
}

TEST_CASE("Spilled registers are stores, and what no cache holds of them passes memory",
          "[machine-parts]")
{
    SimulationOptions device = wide_device(2, 4);
    device.machine.spills = SpillRule::body;
    device.kernel.registers_per_item = 64;
    device.kernel.spilled_registers = 10;
    ReadStream stream = one_texel(10);
    stream.code.spilled = 1e6; // bytes, of a warp
    const WorkGrid grid{.tiles = {64, 1, 1}, .group = {8, 1, 1}, .warp = {8, 1}};
    device.machine.l2().bytes_per_cycle = 16;
    const BottleneckCost cost = bottleneck_cost(stream, grid, device);
    CHECK(cost.stores == Approx(8 * 1e6 / 16));
    CHECK(cost.cycles == Approx(cost.stores));
    device.machine.timing.memory_bytes_per_cycle = 2;
    const std::int64_t all = 2 * 4 * 8 * 10 * 4;
    device.machine.l2().geometry.capacity = Bytes{all};
    CHECK(bottleneck_cost(stream, grid, device).cycles == Approx(cost.cycles));
    device.machine.l2().geometry = {.capacity = Bytes{all / 2}, .line = Bytes{64}};
    const BottleneckCost beyond = bottleneck_cost(stream, grid, device);
    CHECK(spilled_past_caches(device) == Approx(0.5));
    CHECK(beyond.memory_bandwidth == Approx(8 * 1e6 * 0.5 / 2));
    CHECK(beyond.cycles == Approx(beyond.memory_bandwidth));
}
