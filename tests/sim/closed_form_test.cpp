// Launches whose misses can be worked out by hand.

#include "sim/simulate.hpp"
#include "tests/bench/patterns.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::bench;

namespace {

SimulationResult misses_of(const std::string& pattern, const std::string& layout, std::int64_t capacity, bool jump)
{
    SimulationOptions options;
    options.layout = parse_layout(layout);
    options.l1 = {.capacity = Bytes{capacity}, .line = Bytes{64}, .ways = 4};
    options.l2.capacity = Bytes{0};
    options.jump = jump;
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
    // row, blk4: 64 rows a power of two apart fall into one set of 4 ways, so even the next texel of a line finds it
    // thrown out. row in 2x2 blocks: two lanes share a line, nothing else is left of it a step later. tile8 in 4x4
    // blocks: the 8x8 texels of a step are 16 whole lines of 4, which never come again within the pass.
    const Cell cell = GENERATE(Cell{"row", "row", 1}, Cell{"row", "2x2:row,row", 2}, Cell{"blk4", "row", 1},
                               Cell{"tile8", "4x4:row,row", 4});
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
