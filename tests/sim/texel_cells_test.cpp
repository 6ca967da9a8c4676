#include "base/error.hpp"
#include "sim/observers/texel_cells.hpp"
#include "sim/options/options.hpp"
#include "tests/sim/random_case.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <numeric>
#include <set>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

HeatMap random_map(Random& random, Extent2D extent)
{
    HeatMap map{extent, {}};
    for (std::int64_t i = 0; i < extent.area(); ++i) {
        map.counts.push_back(random.between(0, 9));
    }
    return map;
}

/// Sum over blocks of that size (partial at the right and bottom edge).
HeatMap block_sums(const HeatMap& map, Extent2D block)
{
    HeatMap sums{{(map.extent.width + block.width - 1) / block.width,
                  (map.extent.height + block.height - 1) / block.height},
                 {}};
    sums.counts.resize(static_cast<std::size_t>(sums.extent.area()));
    for (std::int32_t y = 0; y < map.extent.height; ++y) {
        for (std::int32_t x = 0; x < map.extent.width; ++x) {
            const std::int64_t cell =
                std::int64_t{y / block.height} * sums.extent.width + x / block.width;
            sums.counts[static_cast<std::size_t>(cell)] += map.at({x, y});
        }
    }
    return sums;
}

StoredImage stored(const LayoutSpec& layout, Extent2D extent, std::int64_t bytes)
{
    SimulationOptions options;
    options.machine.layout = layout;
    const Image image{"A", extent, Bytes{bytes}};
    return store_images({&image, 1}, options).front();
}

} // namespace

TEST_CASE("300 random layouts: the cells are the lines, and rectangles exactly where all lines are")
{
    int rectangles = 0;
    int others = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed + 5100);
        const Extent2D extent{random.small(1, 40), random.small(1, 30)};
        const std::int64_t line = random.pick(std::vector<std::int64_t>{16, 32, 64, 128, 48});
        const std::int64_t bytes = random.pick(std::vector<std::int64_t>{4, 8, 16});
        const StoredImage image = stored(LayoutSpec(random_nested_layout(random)), extent, bytes);
        const TexelCells cells = TexelCells::lines(image, Bytes{line});
        const HeatMap map = random_map(random, extent);
        INFO("seed " << seed << ": " << extent.width << "x" << extent.height << " texels of "
                     << bytes << " B in lines of " << line << " B");

        std::map<std::int64_t, std::set<Texel>> texels; // by line
        std::map<std::int64_t, std::int64_t> expected;
        for (std::int32_t y = 0; y < extent.height; ++y) {
            for (std::int32_t x = 0; x < extent.width; ++x) {
                texels[image.address({x, y}) / line].insert({x, y});
                expected[image.address({x, y}) / line] += map.at({x, y});
            }
        }
        REQUIRE(cells.count() == static_cast<std::int64_t>(texels.size()));
        const std::vector<std::int64_t> sums = cells.sums(map);
        const std::vector<std::int64_t> spread = cells.on_texels(sums);
        for (const auto& [number, members] : texels) {
            const std::int32_t cell = cells.cell_of(*members.begin());
            const TexelCells::Cell& about = cells.cells()[static_cast<std::size_t>(cell)];
            REQUIRE(sums[static_cast<std::size_t>(cell)] == expected[number]);
            REQUIRE(about.texels == static_cast<std::int64_t>(members.size()));
            REQUIRE(about.line == number); // the first image starts at address 0
            for (const Texel t : members) {
                REQUIRE(cells.cell_of(t) == cell);
                REQUIRE(image.address(about.first) <= image.address(t));
                REQUIRE(spread[static_cast<std::size_t>(std::int64_t{t.y} * extent.width + t.x)] ==
                        expected[number]);
            }
            REQUIRE(members.contains(about.first));
        }
        REQUIRE(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}) == map.total());

        // Is there any size whose grid of rectangles has the lines as its cells?
        bool grid = false;
        for (std::int32_t w = 1; w <= extent.width && !grid; ++w) {
            for (std::int32_t h = 1; h <= extent.height && !grid; ++h) {
                std::map<Texel, std::set<Texel>> blocks;
                for (std::int32_t y = 0; y < extent.height; ++y) {
                    for (std::int32_t x = 0; x < extent.width; ++x) {
                        blocks[{x / w, y / h}].insert({x, y});
                    }
                }
                std::set<std::set<Texel>> of_blocks;
                std::set<std::set<Texel>> of_lines;
                for (const auto& [place, members] : blocks) {
                    of_blocks.insert(members);
                }
                for (const auto& [number, members] : texels) {
                    of_lines.insert(members);
                }
                grid = of_blocks == of_lines;
            }
        }
        REQUIRE(cells.rectangle().has_value() == grid);
        (grid ? rectangles : others) += 1;
        if (grid) {
            REQUIRE(cells.as_array(sums) == block_sums(map, *cells.rectangle()).counts);
            REQUIRE(cells.array_extent() == block_sums(map, *cells.rectangle()).extent);
        } else {
            REQUIRE(cells.as_array(sums) == spread);
            REQUIRE(cells.array_extent() == extent);
        }
    }
    CHECK(rectangles > 50);
    CHECK(others > 50);
}

TEST_CASE("lines of known layouts")
{
    // 64 B lines of 16 B texels: four texels of a row; 2x2 texels in a layout of 2x2 blocks.
    const auto linear = TexelCells::lines(stored(LayoutSpec{}, {8, 3}, 16), Bytes{64});
    CHECK(linear.rectangle() == Extent2D{4, 1});
    const auto blocked =
        TexelCells::lines(stored(parse_layout("2x2:row,row"), {8, 4}, 16), Bytes{64});
    CHECK(blocked.rectangle() == Extent2D{2, 2});
    // Rows of six texels: lines run over from row to row.
    const auto wrapped = TexelCells::lines(stored(LayoutSpec{}, {6, 4}, 16), Bytes{64});
    CHECK_FALSE(wrapped.rectangle());
    CHECK(wrapped.count() == 6);
    CHECK(wrapped.cell_of({4, 0}) == wrapped.cell_of({1, 1}));
    CHECK(wrapped.cell_of({3, 0}) == 0);
    // A line of 16x4 texels of a bit layout with 4 B texels: a tile of 64x4 B, cut in whole tiles
    // by 256 B lines.
    const auto swizzled =
        TexelCells::lines(stored(parse_layout("bits:4x4:x0,y0,x1,y1"), {12, 8}, 4), Bytes{64});
    CHECK(swizzled.rectangle() == Extent2D{4, 4});
}

TEST_CASE("blocks, cut at the edge")
{
    Random random(3);
    const HeatMap map = random_map(random, {7, 5});
    for (const Extent2D block :
         {Extent2D{1, 1}, Extent2D{3, 2}, Extent2D{100, 1}, Extent2D{7, 5}}) {
        const TexelCells cells = TexelCells::blocks(map.extent, block);
        CHECK(cells.as_array(cells.sums(map)) == block_sums(map, block).counts);
        CHECK(cells.array_extent() == block_sums(map, block).extent);
        CHECK(cells.cells().back().first ==
              Texel{6 / block.width * block.width, 4 / block.height * block.height});
    }
    CHECK(TexelCells::single({7, 5}).sums(map) == map.counts);
}

TEST_CASE("block sums add the texels of each block, partial ones included")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const HeatMap map = random_map(random, {random.small(1, 20), random.small(1, 20)});
        const Extent2D block{random.small(1, 7), random.small(1, 7)};
        std::map<std::pair<int, int>, std::int64_t> expected; // by row, then column
        for (std::int32_t y = 0; y < map.extent.height; ++y) {
            for (std::int32_t x = 0; x < map.extent.width; ++x) {
                expected[{y / block.height, x / block.width}] += map.at({x, y});
            }
        }
        std::vector<std::int64_t> in_order;
        for (const auto& [cell, sum] : expected) {
            in_order.push_back(sum);
        }
        const TexelCells cells = TexelCells::blocks(map.extent, block);
        const std::vector<std::int64_t> sums = cells.sums(map);
        INFO("seed " << seed);
        REQUIRE(cells.as_array(sums) == in_order);
        REQUIRE(cells.array_extent().area() == static_cast<std::int64_t>(expected.size()));
        REQUIRE(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}) == map.total());
    }
}

TEST_CASE("resolutions parse and print")
{
    for (const char* text : {"texel", "line", "block:4x2"}) {
        CHECK(to_string(parse_heat_resolution(text)) == text);
    }
    for (const char* text : {"", "4x4", "block", "block:", "block:4", "block:4x", "block:4x0",
                             "block:-1x2", "block:4x4x4", "block:ax4", "lines"}) {
        CHECK_THROWS_AS(parse_heat_resolution(text), Error);
    }
}
