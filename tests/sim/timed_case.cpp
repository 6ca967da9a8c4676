#include "tests/sim/timed_case.hpp"

namespace texelscope::test {
using namespace sim;

namespace {

void randomize_schedule(Random& random, SimulationOptions& o)
{
    o.timed = true;
    o.dispatch = random.one_in(2) ? Dispatch::round_robin : Dispatch::dynamic;
    o.warp_schedule = random.pick(
        std::vector<WarpSchedule>{WarpSchedule::lrr, WarpSchedule::gto, WarpSchedule::oldest, WarpSchedule::two_level});
    o.fetch_group = random.small(1, 4);
    o.timing.outstanding_misses = random.pick(std::vector<int>{1, 2, 8, 64});
    o.timing.misses_merges = random.pick(std::vector<int>{0, 0, 1, 2, 5});
    o.timing.latency_fifo = random.pick(std::vector<int>{0, 0, 1, 2, 7, 40});
    o.timing.lookups_per_cycle = random.pick(std::vector<double>{0.25, 0.5, 1, 2, 4});
}

/// Partitions, reads in flight, addresses that take time, work-groups as a whole.
void randomize_core(Random& random, SimulationOptions& o)
{
    o.instructions.partitions = random.pick(std::vector<int>{1, 2, 4});
    o.instructions.reads_in_flight = random.small(1, 5);
    o.timing.texture_lanes = random.pick(std::vector<int>{0, 1, 2, 4});
    o.timing.texture_block = Bytes{random.pick(std::vector<std::int64_t>{16, 64, 256})};
    if (random.one_in(2)) {
        o.group_schedule = GroupSchedule::whole;
        o.groups_per_core = random.small(0, 3);
    }
}

} // namespace

SimulationCase timed_case(std::uint64_t seed)
{
    Random random(seed);
    SimulationCase c = random_case(random);
    randomize_schedule(random, c.options);
    Timing& t = c.options.timing;
    t.hit_latency = Cycles{random.between(1, 90)};
    t.l2_latency = t.hit_latency + Cycles{random.between(0, 60)};
    t.memory_latency = t.l2_latency + Cycles{random.between(0, 200)};
    t.l2_bytes_per_cycle = random.pick(std::vector<double>{4, 16, 64, 1e6});
    t.memory_bytes_per_cycle = random.pick(std::vector<double>{2, 8, 32, 1e6});
    t.alu_cycles_per_step = random.pick(std::vector<double>{0, 0, 3, 12.5});
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
    Timing& t = c.options.timing;
    t.hit_latency = Cycles{random.between(1, 12)};
    t.l2_latency = Cycles{random.between(1, 20)}; // not always the longer one
    t.memory_latency = Cycles{random.between(1, 40)};
    if (random.one_in(4)) { // many warps that read the same few lines at once
        c.options.warp_size = random.small(1, 4);
        c.options.warps_per_core = 16;
        c.options.occupancy = random.small(4, 16);
        t.memory_latency = Cycles{40};
        t.misses_merges = random.small(1, 3);
        for (TraceRow& row : c.rows) {
            row.texel = {row.texel.x % 2, row.texel.y % 3};
        }
    }
    const std::vector<double> services{0.25, 0.5, 1, 2, 4, 16};
    const Bytes from_memory = c.options.has_l2() ? c.options.l2.granule() : c.options.l1.granule();
    t.l2_bytes_per_cycle = static_cast<double>(c.options.l1.granule().value) / random.pick(services);
    t.memory_bytes_per_cycle = static_cast<double>(from_memory.value) / random.pick(services);
    t.alu_cycles_per_step = random.pick(std::vector<double>{0, 0, 0.25, 3, 12.5});
    if (random.one_in(2)) {
        randomize_core(random, c.options);
    }
    return c;
}

SimulationCase burst(const std::vector<Texel>& texels)
{
    SimulationCase c;
    c.images = {{"A", {64, 4}, Bytes{16}}};
    c.options.warp_size = 1;
    c.options.occupancy = 64;
    c.options.timed = true;
    c.options.l1 = {.capacity = Bytes{16 * 256}, .line = Bytes{16}};
    c.options.l2.capacity = Bytes{0};
    c.options.timing.hit_latency = Cycles{70};
    c.options.timing.l2_latency = Cycles{130};
    c.options.timing.memory_latency = Cycles{310};
    c.options.timing.l2_bytes_per_cycle = 1e9;
    c.options.timing.memory_bytes_per_cycle = 1e9;
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
