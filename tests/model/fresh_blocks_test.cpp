#include "base/error.hpp"
#include "model/tmmodel/fresh_blocks.hpp"
#include "model/walks/stride_walk.hpp"
#include "sim/options/options.hpp"
#include "sim/simulate.hpp"
#include "traces/formats/csv_trace.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope::model;

namespace {

std::vector<Texel> random_walk(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    return walk(random, draw_distribution(random, {.max_stride = 8, .wandering = 0.7}), {64, 48},
                400);
}

/// Fresh strides for one shape, slowly: look back for the last visit and count the distinct blocks
/// since.
std::int64_t slow_count(const std::vector<Texel>& texels, Extent2D shape, std::size_t remembered)
{
    std::vector<Texel> blocks;
    for (const Texel t : texels) {
        blocks.push_back({t.x / shape.width, t.y / shape.height});
    }
    std::int64_t count = 0;
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        std::vector<Texel> since;
        bool seen = false;
        for (std::size_t back = i; back-- > 0 && !seen;) {
            seen = blocks[back] == blocks[i];
            if (!seen && std::find(since.begin(), since.end(), blocks[back]) == since.end()) {
                since.push_back(blocks[back]);
            }
        }
        count += seen && since.size() < remembered ? 0 : 1;
    }
    return count;
}

} // namespace

TEST_CASE("strides into fresh blocks agree with looking back at every step")
{
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const std::vector<Texel> texels = random_walk(seed);
        for (const std::int64_t remembered : {1, 2, 5, 16}) {
            CAPTURE(seed, remembered);
            const CrossBlockHistogram histogram = fresh_block_histogram(texels, remembered);
            CHECK(histogram.accesses == 400);
            REQUIRE(histogram.bins.size() == default_block_shapes().size());
            for (const CrossBlockHistogram::Bin& bin : histogram.bins) {
                CHECK(bin.x == slow_count(texels, bin.block, static_cast<std::size_t>(remembered)));
                CHECK(bin.y == 0);
            }
        }
    }
}

TEST_CASE("with the line's shape and the cache's lines, fresh blocks are the misses of a fully "
          "associative LRU cache")
{
    SimulationOptions options;
    options.machine.layout = parse_layout("2x2:row,row");
    options.machine.l1().geometry = {.capacity = Bytes{512},
                                     .line = Bytes{64}}; // 8 lines of 2x2 texels of 16 B
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        const std::vector<Texel> texels = random_walk(seed);
        std::vector<TraceRow> rows;
        for (const Texel texel : texels) {
            rows.push_back({.step = static_cast<std::uint32_t>(rows.size()), .texel = texel});
        }
        const auto source = make_trace_source("walk", {{.name = "I", .extent = {64, 48}}}, rows);
        const Extent2D line{2, 2};
        CHECK(fresh_block_histogram(texels, 8, {&line, 1}).bins.front().x + 1 ==
              simulate(*source, options).l1.misses());
    }
}

TEST_CASE("a block pattern pays each row's line once, which cross-block strides cannot see")
{
    std::vector<Texel> block4;
    for (int r = 0; r < 64; ++r) {
        block4.push_back({r / 4, r % 4});
    }
    const Extent2D line{4, 1};
    CHECK(fresh_block_histogram(block4, 16, {&line, 1}).bins.front().x == 4 * 4 - 1);
    CHECK(cross_block_histogram(block4, {&line, 1}).bins.front().y == 63);
    CHECK_THROWS_AS(fresh_block_histogram(block4, 0), Error);
    CHECK(fresh_block_histogram({}, 4).bins.front().x == 0);
}
