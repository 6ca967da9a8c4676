#include "sim/options/options.hpp"
#include "tests/sim/oracle.hpp"
#include "tests/sim/timed_case.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// Cycles of a single lane that reads these texels of a linear 64x4 image one after the other.
/// Lines have 16 bytes: each texel is a line of its own. The L1 holds two of them, the L2 eight.
std::int64_t chain_cycles(const std::vector<Texel>& texels, double alu = 0)
{
    SimulationCase c;
    c.images = {{"A", {64, 4}, Bytes{16}}};
    c.options.machine.warp_size = 1;
    c.options.mode.timed = true;
    c.options.machine.l1().geometry = {.capacity = Bytes{32}, .line = Bytes{16}};
    c.options.machine.l2().geometry = {.capacity = Bytes{128}, .line = Bytes{16}};
    c.options.machine.l1().latency = Cycles{70};
    c.options.machine.l2().latency = Cycles{130};
    c.options.machine.timing.memory_latency = Cycles{310};
    c.options.kernel.alu_cycles_per_step = alu;
    for (std::size_t i = 0; i < texels.size(); ++i) {
        c.rows.push_back({0, 0, static_cast<std::uint32_t>(i), 0, texels[i]});
    }
    return simulate(*c.source(), c.options).cycles.value().value;
}

} // namespace

TEST_CASE("a chain of reads takes the sum of its latencies")
{
    CHECK(chain_cycles({{0, 0}}) == 310);
    CHECK(chain_cycles({{0, 0}, {0, 0}}) == 310 + 70);
    CHECK(chain_cycles({{0, 0}, {1, 0}, {0, 0}, {1, 0}}) == 310 + 310 + 70 + 70);
    // The third line throws the first one out of L1; L2 still has it.
    CHECK(chain_cycles({{0, 0}, {1, 0}, {2, 0}, {0, 0}}) == 3 * 310 + 130);
    // A ninth line throws the first one out of L2 too.
    std::vector<Texel> nine;
    for (std::int32_t x = 0; x < 9; ++x) {
        nine.push_back({x, 1});
    }
    nine.push_back({0, 1});
    CHECK(chain_cycles(nine) == 10 * 310);
}

TEST_CASE("arithmetic between the reads of a chain adds to it")
{
    const std::vector<Texel> texels{{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    const std::int64_t without = chain_cycles(texels);
    const std::int64_t with = chain_cycles(texels, 25);
    CHECK(with >= without + 3 * 25); // between two accesses
    CHECK(with <= without + 4 * 25); // the work after the last one may count
}

TEST_CASE("with one warp of one lane at a time the cycles are the latencies of the plain "
          "simulator's events")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SimulationCase c = timed_case(seed);
        c.options.machine.cores = 1;
        c.options.machine.warp_size = 1;
        c.options.kernel.occupancy = 1;
        c.options.kernel.alu_cycles_per_step = 0;
        c.options.machine.timing.lookups_per_cycle = 1;
        c.options.machine.l2().bytes_per_cycle = 1e9;
        c.options.machine.timing.memory_bytes_per_cycle = 1e9;
        c.options.machine.l1().geometry.sector = Bytes{0};
        c.options.machine.l1().geometry.line = Bytes{64}; // a texel never needs two
        c.options.machine.l1().geometry.capacity = Bytes{64 * 8};
        c.options.machine.l1().geometry.ways = 0;
        for (Image& image : c.images) {
            image.address_mode = AddressMode::edge; // each access reads memory
        }
        const OracleResult oracle = oracle_simulate(c.images, c.rows, c.options);
        std::int64_t cycles = 0;
        for (const OracleEvent& e : oracle.events) {
            const Machine& m = c.options.machine;
            cycles += (e.l1.hit()                                   ? m.l1().latency
                       : !e.behind.empty() && e.behind.back().hit() ? m.l2().latency
                                                                    : m.timing.memory_latency)
                          .value;
        }
        const SimulationResult r = simulate(*c.source(), c.options);
        INFO("seed " << seed << "\n" << describe(c));
        REQUIRE(r.cycles == Cycles{cycles});
    }
}

TEST_CASE("resident warps hide each other's latency, and a single miss under way takes that back")
{
    SimulationCase c;
    c.images = {{"A", {64, 64}}};
    c.options.machine.warp_size = 1;
    c.options.mode.timed = true;
    c.options.machine.l2().geometry.capacity = Bytes{0};
    c.options.machine.timing.memory_latency = Cycles{400};
    c.options.machine.timing.memory_bytes_per_cycle = 1e9;
    for (std::int32_t w = 0; w < 8; ++w) {
        for (std::int32_t s = 0; s < 10; ++s) {
            c.rows.push_back({w, 0, static_cast<std::uint32_t>(s), 0, {4 * s, w}});
        }
    }
    const auto cycles = [&](int occupancy, int outstanding) {
        c.options.kernel.occupancy = occupancy;
        c.options.machine.timing.outstanding_misses = outstanding;
        return simulate(*c.source(), c.options).cycles.value().value;
    };
    CHECK(cycles(1, 64) == 80 * 400);
    CHECK(cycles(8, 1) >= 80 * 400);
    CHECK(cycles(8, 64) >= 10 * 400);
    CHECK(cycles(8, 64) <= 10 * 400 + 10 * 8); // eight issues follow each other at each step
}

TEST_CASE("independent misses overlap, one issue a cycle")
{
    CHECK(cycles_of(burst(row_of(10))) == 310 + 9);
}

TEST_CASE("the memory's bandwidth spaces the misses")
{
    SimulationCase c = burst(row_of(10));
    c.options.machine.timing.memory_bytes_per_cycle = 0.5; // 32 cycles a line
    CHECK(cycles_of(c) == 9 * 32 + 310);
}

TEST_CASE("the bandwidth of L2 spaces its hits, which wait for the line on its way from memory")
{
    SimulationCase c = burst(row_of(10));
    c.options.machine.l2().geometry = {.capacity = Bytes{4096},
                                       .line = Bytes{256}}; // all ten in one line of L2
    c.options.machine.l2().bytes_per_cycle = 0.5;
    CHECK(cycles_of(c) == 9 * 32 + 130); // 418: after the fill from memory at 310
    c.options.machine.l2().bytes_per_cycle = 1;
    // the last one leaves at 144, its data come with the fill
    CHECK(cycles_of(c) == 310);
    c.rows.push_back({0, 9, 1, 0, {9, 0}}); // and only then it reads again
    CHECK(cycles_of(c) == 310 + 70);
}

TEST_CASE("the texture unit serves the lines of one access one after the other")
{
    SimulationCase c = burst({});
    c.options.machine.warp_size = 4;
    c.options.machine.timing.lookups_per_cycle = 0.5;
    for (std::int32_t lane = 0; lane < 4; ++lane) {
        c.rows.push_back({0, lane, 0, 0, {lane, 0}});
        c.rows.push_back({0, lane, 1, 0, {lane, 0}});
    }
    CHECK(cycles_of(c) == (3 * 2 + 310) + (3 * 2 + 70));
    c.options.machine.timing.lookups_per_cycle = 2;
    CHECK(cycles_of(c) >= 310 + 70);
    CHECK(cycles_of(c) <= (2 + 310) + (2 + 70));

    // two warps of four lanes: the second finds the unit busy up to cycle 8
    SimulationCase two = burst(row_of(8));
    two.options.machine.warp_size = 4;
    two.options.machine.timing.lookups_per_cycle = 0.5;
    CHECK(cycles_of(two) == 8 + 3 * 2 + 310);
}
