// What spilled registers cost: by hand, and against a count that goes through the program step by
// step.

#include "sim/timed/spill_code.hpp"
#include "sim/timed/warp_code.hpp"
#include "tests/sim/launch_with_work.hpp"
#include "tests/sim/reference_timing.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// Goes through all iterations, and counts what each passage of a body stores and loads.
double counted_accesses(const std::vector<Statement>& body, double spilled)
{
    double accesses = 0;
    double operations = 0;
    for (const Statement& statement : body) {
        if (const auto* loop = std::get_if<Loop>(&statement)) {
            for (std::int64_t i = 0; i < loop->extent(); ++i) {
                accesses += counted_accesses(loop->body, spilled);
            }
        } else if (const auto* work = std::get_if<Work>(&statement)) {
            operations += work->operations;
        }
    }
    return accesses + 2 * std::min(operations, spilled);
}

} // namespace

TEST_CASE("spilled registers are stored and loaded once each time through a body", "[spills]")
{
    int spilling = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        LaunchCase c = random_launch_case(random);
        add_work(random, c);
        SimulationOptions& options = c.options;
        options.kernel.registers_per_item = 20;
        options.kernel.spilled_registers = random.small(0, 12);
        CHECK(spill_accesses(c.launch, options) == 0); // the rule of operands
        options.machine.spills = SpillRule::body;
        options.machine.timing.alu_lanes = options.machine.warp_size;
        INFO("seed " << seed);
        const double want = counted_accesses(c.launch.body, options.kernel.spilled_registers);
        CHECK(spill_accesses(c.launch, options) == want);
        CHECK(spilled_bytes(options) == 0);
        // All of them are in the code, whatever is unrolled: an instruction each, of a warp, and 4
        // bytes for each work-item.
        SimulationOptions none = options;
        none.kernel.spilled_registers = 0;
        const WarpCode::Totals with = WarpCode(&c.launch, options).totals();
        const WarpCode::Totals without = WarpCode(&c.launch, none).totals();
        CHECK(with.spilled == Approx(4 * options.machine.warp_size * want));
        CHECK(with.cycles - without.cycles ==
              Approx(want * options.machine.instructions.partitions).margin(1e-6));
        CHECK(with.stored == without.stored);
        spilling += want > 0 ? 1 : 0;
        options.kernel.spill_accesses = 1234; // a compiler knows better
        for (const SpillRule rule : {SpillRule::body, SpillRule::operand}) {
            options.machine.spills = rule;
            CHECK(spilled_bytes(options) == 0);
            CHECK(WarpCode(&c.launch, options).totals().spilled ==
                  Approx(4 * options.machine.warp_size * 1234.0));
        }
    }
    CHECK(spilling > 200);
}

TEST_CASE("spilled registers go on to memory as far as the last cache has no room for them",
          "[spills]")
{
    SimulationOptions options;
    options.machine.spills = SpillRule::body;
    options.machine.cores = 3;
    options.machine.warp_size = 64;
    options.kernel.occupancy = 8;
    options.kernel.registers_per_item = 64;
    options.kernel.spilled_registers = 10;
    const std::int64_t all = 3 * 8 * 64 * 10 * 4;
    options.machine.l2().geometry.capacity = Bytes{all};
    CHECK(spilled_past_caches(options) == 0);
    options.machine.l2().geometry.capacity = Bytes{all / 4};
    CHECK(spilled_past_caches(options) == Approx(0.75));
    options.machine.l2().geometry.capacity = Bytes{0};
    CHECK(spilled_past_caches(options) == 1);
    options.machine.spills = SpillRule::operand;
    CHECK(spilled_past_caches(options) == 0);
}

TEST_CASE("spilled registers take the time of stores, and that of memory", "[spills]")
{
    // One read, then many operations, by one warp of each of two cores.
    Launch launch;
    launch.images = {{"A", {8, 8}, Bytes{16}}};
    launch.groups = {2, 1, 1};
    launch.local = {8, 1, 1};
    launch.body = {AccessFunction{0, IndexExpr(0), IndexExpr(0)},
                   Work{.operations = 100, .reads_since = 0}};
    SimulationOptions options;
    options.mode.timed = true;
    options.machine.cores = 2;
    options.machine.warp_size = 8;
    options.kernel.occupancy = 1;
    options.kernel.registers_per_item = 64;
    options.kernel.spilled_registers = 30;
    options.machine.l1().latency = Cycles{70};
    options.machine.timing.memory_latency = Cycles{200};
    options.machine.l2().bytes_per_cycle = 4;
    const auto cycles = [&] { return simulate(*make_trace_source(launch), options).cycles->value; };
    options.machine.spills = SpillRule::body;
    // 30 registers are stored and loaded by 16 work-items, 4 B each way; L2 holds them.
    const std::int64_t bytes = 2LL * 30 * 16 * 4;
    const std::int64_t start = 200 + 16 + 16; // at most: 64 B of two reads by L2's port
    CHECK(cycles() >= 200 + bytes / 4);
    CHECK(cycles() <= start + bytes / 4);
    options.machine.timing.memory_bytes_per_cycle = 1;
    options.machine.l2().geometry = {.capacity = Bytes{960}, .line = Bytes{64}};
    const double past = 1 - 960.0 / (30 * 16 * 4);
    CHECK(spilled_past_caches(options) == Approx(past));
    CHECK(static_cast<double>(cycles()) >= 200 + static_cast<double>(bytes) * past);
    CHECK(static_cast<double>(cycles()) <= 200 + 2 * 64 + 2 + static_cast<double>(bytes) * past);
    // Instructions: 60 more of a warp.
    options.machine.l2() = {.name = "L2",
                            .geometry = {.capacity = Bytes{1 << 20}},
                            .latency = Cycles{100},
                            .bytes_per_cycle = 1e9,
                            .shared = true};
    options.machine.timing.alu_lanes = 8;
    const std::int64_t with = cycles();
    options.kernel.spilled_registers = 0;
    CHECK(with - cycles() == 60);
}
