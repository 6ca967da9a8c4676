// Launches whose misses can be worked out by hand.

#include "sim/options/options.hpp"
#include "sim/simulate.hpp"
#include "tests/bench/patterns.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::sim;
using namespace texelscope::bench;

namespace {

SimulationResult misses_of(const std::string& pattern, const std::string& layout,
                           std::int64_t capacity, bool jump)
{
    SimulationOptions options;
    options.machine.layout = parse_layout(layout);
    options.machine.l1().geometry = {.capacity = Bytes{capacity}, .line = Bytes{64}, .ways = 4};
    options.machine.l2().geometry.capacity = Bytes{0};
    options.mode.jump = jump;
    return simulate(*make_trace_source(pattern_launch(pattern, 2)), options);
}

} // namespace

TEST_CASE("Rows, blocks of rows and tiles of a large image miss as the arithmetic says")
{
    constexpr std::int64_t reads = 2 * std::int64_t{side} * side; // two passes
    struct Cell {
        const char* pattern;
        const char* layout;
        std::int64_t reads_per_miss;
    };
    // row, blk4: 64 rows a power of two apart fall into one set of 4 ways, so even the next texel
    // of a line finds it thrown out. row in 2x2 blocks: two lanes share a line, nothing else is
    // left of it a step later. tile8 in 4x4 blocks: the 8x8 texels of a step are 16 whole lines of
    // 4, which never come again within the pass.
    const Cell cell = GENERATE(Cell{"row", "row", 1}, Cell{"row", "2x2:row,row", 2},
                               Cell{"blk4", "row", 1}, Cell{"tile8", "4x4:row,row", 4});
    const std::int64_t capacity = GENERATE(1024, 8192);
    CAPTURE(cell.pattern, cell.layout, capacity);
    const SimulationResult jumped = misses_of(cell.pattern, cell.layout, capacity, true);
    CHECK(jumped.l1.texel_reads == reads);
    CHECK(jumped.l1.misses() == reads / cell.reads_per_miss);
    CHECK(jumped.l1.compulsory == std::int64_t{side} * side / 4); // every line of 4 texels, once
    const SimulationResult walked = misses_of(cell.pattern, cell.layout, capacity, false);
    CHECK(walked.l1 == jumped.l1);
    CHECK(walked.simulated_steps == walked.steps);
    CHECK(jumped.simulated_steps < jumped.steps / 4);
}

TEST_CASE(
    "Reads that come into an image from outside along a diagonal are counted, jumped over or not")
{
    // Row 59 + i is inside while i < 5; column o + i - 10 while it is not negative: 60 of the 180
    // reads.
    Launch launch;
    launch.kernel = "diagonal";
    launch.images = {{"A", {64, 64}, Bytes{16}, AddressMode::border}};
    const Variable outer{slots::first_loop_slot, "o", {0, 19}};
    const Variable inner{slots::first_loop_slot + 1, "i", {0, 8}};
    launch.body = {Loop{outer,
                        {Loop{inner,
                              {AccessFunction{0, IndexExpr(outer) + IndexExpr(inner) - 10,
                                              IndexExpr(inner) + 59}}}}}};
    SimulationOptions options;
    options.machine.l1().geometry = {.capacity = Bytes{16}, .line = Bytes{16}, .ways = 1};
    options.machine.l2().geometry.capacity = Bytes{0};
    options.mode.jump = GENERATE(true, false);
    const SimulationResult result = simulate(*make_trace_source(launch), options);
    std::int64_t inside = 0;
    for (int o = 0; o < 20; ++o) {
        for (int i = 0; i < 9; ++i) {
            inside += o + i - 10 >= 0 && i + 59 < 64 ? 1 : 0;
        }
    }
    CHECK(inside == 60);
    CHECK(result.l1.texel_reads == inside);
    CHECK(result.border_reads == 180 - inside);
}

TEST_CASE("A line that lies in two images is touched for the first time once")
{
    Launch launch;
    launch.kernel = "two";
    launch.images = {{"A", {4, 4}, Bytes{16}, AddressMode::border},
                     {"B", {4, 4}, Bytes{16}, AddressMode::border}};
    launch.body = {AccessFunction{0, IndexExpr(0), IndexExpr(0)},
                   AccessFunction{1, IndexExpr(0), IndexExpr(0)}};
    SimulationOptions options;
    options.machine.l1().geometry = {.capacity = Bytes{32768}, .line = Bytes{8192}, .ways = 0};
    options.machine.l2().geometry.capacity = Bytes{0};
    const SimulationResult result = simulate(*make_trace_source(launch), options);
    CHECK(result.l1.compulsory == 1);
    CHECK(result.l1.capacity == 0);
    CHECK(result.l1.hits == 1);
}

TEST_CASE("Without an L2 the cores jump each by itself, however unequal their shares")
{
    // 7 work-groups on 3 cores: 3, 2 and 2 warps.
    Launch launch;
    launch.kernel = "unequal";
    launch.images = {{"A", {4096, 8}, Bytes{16}, AddressMode::border}};
    launch.groups = {7, 1, 1};
    const auto ids = work_item_variables(launch.groups, launch.local);
    const Variable x{slots::first_loop_slot, "x", {0, 4095}};
    launch.body = {Loop{x, {AccessFunction{0, IndexExpr(x), IndexExpr(ids[slots::group_x])}}}};
    SimulationOptions options;
    options.machine.cores = 3;
    options.machine.l1().geometry = {.capacity = Bytes{1024}, .line = Bytes{64}, .ways = 4};
    options.machine.l2().geometry.capacity = Bytes{0};
    const SimulationResult jumped = simulate(*make_trace_source(launch), options);
    CHECK(jumped.l1.texel_reads == 7 * 4096);
    CHECK(jumped.l1.misses() == 7 * 1024);
    CHECK(jumped.simulated_steps < 2000);
    options.mode.jump = false;
    const SimulationResult walked = simulate(*make_trace_source(launch), options);
    for (std::size_t core = 0; core < 3; ++core) {
        CHECK(walked.cores[core].l1 == jumped.cores[core].l1);
        CHECK(walked.cores[core].warps == jumped.cores[core].warps);
    }
}
