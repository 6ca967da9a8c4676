#include "tests/sim/timed_case.hpp"

#include "sim/options/options.hpp"

namespace texelscope::test {
using namespace sim;

namespace {

void randomize_schedule(Random& random, SimulationOptions& o)
{
    o.mode.timed = true;
    o.machine.dispatch = random.one_in(2) ? Dispatch::round_robin : Dispatch::dynamic;
    o.machine.warp_schedule = random.pick(std::vector<WarpSchedule>{
        WarpSchedule::lrr, WarpSchedule::gto, WarpSchedule::oldest, WarpSchedule::two_level});
    o.machine.fetch_group = random.small(1, 4);
    o.machine.timing.outstanding_misses = random.pick(std::vector<int>{1, 2, 8, 64});
    o.machine.timing.misses_merges = unless_0(random.pick(std::vector<int>{0, 0, 1, 2, 5}));
    o.machine.timing.latency_fifo = unless_0(random.pick(std::vector<int>{0, 0, 1, 2, 7, 40}));
    o.machine.timing.lookups_per_cycle = random.pick(std::vector<double>{0.25, 0.5, 1, 2, 4});
}

/// Partitions, reads in flight, addresses that take time, work-groups as a whole.
void randomize_core(Random& random, SimulationOptions& o)
{
    o.machine.instructions.partitions = random.pick(std::vector<int>{1, 2, 4});
    o.machine.instructions.reads_in_flight = random.small(1, 5);
    o.machine.timing.texture_lanes = unless_0(random.pick(std::vector<int>{0, 1, 2, 4}));
    o.machine.timing.texture_queue = random.pick(std::vector<int>{0, 0, 1, 2, 7});
    o.machine.timing.texture_block = Bytes{random.pick(std::vector<std::int64_t>{16, 64, 256})};
    if (random.one_in(2)) {
        o.machine.group_schedule = GroupSchedule::whole;
        o.machine.groups_per_core = unless_0(random.small(0, 3));
    }
}

} // namespace

SimulationCase timed_case(std::uint64_t seed)
{
    Random random(seed);
    SimulationCase c = random_case(random);
    randomize_schedule(random, c.options);
    Timing& t = c.options.machine.timing;
    CacheLevel& l1 = c.options.machine.l1();
    CacheLevel& l2 = c.options.machine.l2();
    l1.latency = Cycles{random.between(1, 90)};
    l2.latency = l1.latency + Cycles{random.between(0, 60)};
    t.memory_latency = l2.latency + Cycles{random.between(0, 200)};
    l2.bytes_per_cycle = random.pick(std::vector<double>{4, 16, 64, 1e6});
    t.memory_bytes_per_cycle = random.pick(std::vector<double>{2, 8, 32, 1e6});
    c.options.kernel.alu_cycles_per_step = random.pick(std::vector<double>{0, 0, 3, 12.5});
    return c;
}

SimulationCase quarter_cycle_case(std::uint64_t seed)
{
    Random random(seed);
    SimulationCase c = random_case(random);
    const auto most_rows = static_cast<std::size_t>(random.pick(std::vector<int>{10, 60, 160}));
    if (c.rows.size() > most_rows) {
        c.rows.resize(most_rows);
    }
    randomize_schedule(random, c.options);
    Timing& t = c.options.machine.timing;
    c.options.machine.l1().latency = Cycles{random.between(1, 12)};
    c.options.machine.l2().latency = Cycles{random.between(1, 20)}; // not always the longer one
    t.memory_latency = Cycles{random.between(1, 40)};
    if (random.one_in(4)) { // many warps that read the same few lines at once
        c.options.machine.warp_size = random.small(1, 4);
        c.options.machine.warps_per_core = 16;
        c.options.kernel.occupancy = random.small(4, 16);
        t.memory_latency = Cycles{40};
        t.misses_merges = random.small(1, 3);
        for (TraceRow& row : c.rows) {
            row.texel = {row.texel.x % 2, row.texel.y % 3};
        }
    }
    const std::vector<double> services{0.25, 0.5, 1, 2, 4, 16};
    const Bytes from_memory = c.options.machine.has_l2()
                                  ? c.options.machine.l2().geometry.granule()
                                  : c.options.machine.l1().geometry.granule();
    c.options.machine.l2().bytes_per_cycle =
        static_cast<double>(c.options.machine.l1().geometry.granule().value) /
        random.pick(services);
    t.memory_bytes_per_cycle = static_cast<double>(from_memory.value) / random.pick(services);
    c.options.kernel.alu_cycles_per_step = random.pick(std::vector<double>{0, 0, 0.25, 3, 12.5});
    if (random.one_in(2)) {
        randomize_core(random, c.options);
    }
    return c;
}

SimulationCase quarter_cycle_case_with_level(std::uint64_t seed)
{
    SimulationCase c = quarter_cycle_case(seed);
    add_level(seed + 500'000, c.options);
    Random random(seed + 600'000);
    const std::vector<double> services{0.25, 0.5, 1, 2, 4, 16};
    Machine& machine = c.options.machine;
    Bytes asked = machine.l1().geometry.granule();
    for (CacheLevel& level : machine.caches) {
        if (level.name != "L1" && level.is_there()) {
            level.latency = Cycles{random.between(1, 30)};
            level.bytes_per_cycle = static_cast<double>(asked.value) / random.pick(services);
            asked = level.geometry.granule();
        }
    }
    machine.timing.memory_bytes_per_cycle =
        static_cast<double>(asked.value) / random.pick(services);
    return c;
}

SimulationCase quarter_cycle_case_of_machine_parts(std::uint64_t seed)
{
    SimulationCase c = quarter_cycle_case_with_level(seed);
    Random random(seed + 700'000);
    Machine& machine = c.options.machine;
    // Texels have 4, 8 or 16 bytes.
    machine.timing.texture_return = unless_0(random.pick(std::vector<double>{0, 1, 2, 8, 16}));
    if (random.one_in(2)) {
        machine.timing.texture_lanes = random.small(1, 5);
        machine.timing.texture_block = Bytes{0};
    }
    BufferReads& buffers = machine.timing.buffers;
    buffers.returned = unless_0(random.pick(std::vector<double>{0, 2, 4, 16}));
    if (random.one_in(2)) {
        // Data cannot come before they were asked for.
        std::int64_t least = machine.timing.memory_latency.value;
        for (const CacheLevel& level : machine.levels()) {
            least = std::min(least, level.latency.value);
        }
        buffers.latency =
            static_cast<double>(machine.l1().latency.value - random.between(-3, least - 1));
        buffers.lookups_per_cycle = random.pick(std::vector<double>{0.5, 1, 4});
        buffers.lanes = random.small(1, 5);
        buffers.block = Bytes{random.pick(std::vector<std::int64_t>{0, 32, 128})};
    }
    for (Image& image : c.images) {
        image.buffer = random.one_in(3);
    }
    for (CacheLevel& level : machine.caches) {
        level.banks = unless_0(random.pick(std::vector<int>{0, 1, 2, 3, 4}));
    }
    machine.timing.memory_channels = unless_0(random.pick(std::vector<int>{0, 1, 2, 3}));
    machine.timing.memory_interleave = Bytes{random.pick(std::vector<std::int64_t>{32, 64, 256})};
    return c;
}

SimulationCase burst(const std::vector<Texel>& texels)
{
    SimulationCase c;
    c.images = {{"A", {64, 4}, Bytes{16}}};
    c.options.machine.warp_size = 1;
    c.options.kernel.occupancy = 64;
    c.options.mode.timed = true;
    c.options.machine.l1().geometry = {.capacity = Bytes{16 * 256}, .line = Bytes{16}};
    c.options.machine.l2().geometry.capacity = Bytes{0};
    c.options.machine.l1().latency = Cycles{70};
    c.options.machine.l2().latency = Cycles{130};
    c.options.machine.timing.memory_latency = Cycles{310};
    c.options.machine.l2().bytes_per_cycle = 1e9;
    c.options.machine.timing.memory_bytes_per_cycle = 1e9;
    for (std::size_t i = 0; i < texels.size(); ++i) {
        c.rows.push_back({0, static_cast<std::int32_t>(i), 0, 0, texels[i]});
    }
    return c;
}

std::vector<Texel> row_of(std::int32_t count)
{
    std::vector<Texel> texels;
    for (std::int32_t x = 0; x < count; ++x) {
        texels.push_back({x, 0});
    }
    return texels;
}

std::int64_t cycles_of(const SimulationCase& c)
{
    return simulate(*c.source(), c.options).cycles.value().value;
}

} // namespace texelscope::test
