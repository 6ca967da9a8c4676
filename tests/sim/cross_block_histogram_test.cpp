#include "sim/observers/cross_block_histogram.hpp"
#include "tests/base/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace texelscope::sim;
using namespace texelscope::test;

TEST_CASE("the default shapes are the squares and the strips")
{
    const std::vector<Extent2D>& shapes = default_block_shapes();
    for (const std::int32_t n : {1, 2, 4, 8, 16, 32}) {
        CHECK(std::count(shapes.begin(), shapes.end(), Extent2D{n, n}) == 1);
    }
    for (const std::int32_t n : {2, 4, 8}) {
        CHECK(std::count(shapes.begin(), shapes.end(), Extent2D{n, 1}) == 1);
        CHECK(std::count(shapes.begin(), shapes.end(), Extent2D{1, n}) == 1);
    }
}

TEST_CASE("cross-block strides with two assumed shapes, as in TMModel figure 2")
{
    // Strides out of 1, 2, 3, 4 along x and y, counted for 2x2 and 4x4 blocks: four bars.
    //   (0,0) -> (1,2): x stays in the 2-block and in the 4-block; y leaves the 2-block only
    //   (1,2) -> (3,3): x 0|1 in 2-blocks, both 0 in 4-blocks;      y stays in both
    //   (3,3) -> (4,6): x crosses both;                            y crosses both
    //   (4,6) -> (7,7): x crosses 2 only;                          y stays in both
    //   (7,7) -> (9,11): x crosses both;                           y crosses both
    const std::vector<Texel> walk{{0, 0}, {1, 2}, {3, 3}, {4, 6}, {7, 7}, {9, 11}};
    const std::vector<Extent2D> shapes{{2, 2}, {4, 4}};
    const CrossBlockHistogram h = cross_block_histogram(walk, shapes);
    CHECK(h.accesses == 6);
    REQUIRE(h.bins.size() == 2);
    CHECK(h.bins[0] == CrossBlockHistogram::Bin{{2, 2}, 4, 3});
    CHECK(h.bins[1] == CrossBlockHistogram::Bin{{4, 4}, 2, 2});
}

TEST_CASE("random walks agree with dividing in floating point")
{
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        std::vector<Texel> walk;
        Texel at{random.small(-5, 5), random.small(-5, 5)};
        for (int i = random.small(0, 200); i > 0; --i) {
            walk.push_back(at);
            at.x += random.small(-6, 6);
            at.y += random.small(-2, 2);
        }
        std::vector<Extent2D> shapes = default_block_shapes();
        shapes.push_back({random.small(1, 9), random.small(1, 9)});
        const CrossBlockHistogram h = cross_block_histogram(walk, shapes);
        INFO("seed " << seed);
        REQUIRE(h.accesses == static_cast<std::int64_t>(walk.size()));
        REQUIRE(h.bins.size() == shapes.size());
        for (std::size_t s = 0; s < shapes.size(); ++s) {
            const auto block = [](std::int32_t c, std::int32_t size) {
                return std::floor(double(c) / double(size));
            };
            std::int64_t x = 0;
            std::int64_t y = 0;
            for (std::size_t i = 1; i < walk.size(); ++i) {
                x += block(walk[i].x, shapes[s].width) != block(walk[i - 1].x, shapes[s].width) ? 1
                                                                                                : 0;
                y += block(walk[i].y, shapes[s].height) != block(walk[i - 1].y, shapes[s].height)
                         ? 1
                         : 0;
            }
            REQUIRE(h.bins[s] == CrossBlockHistogram::Bin{shapes[s], x, y});
        }
    }
    CHECK(cross_block_histogram({}).accesses == 0);
    CHECK(cross_block_histogram({}).bins.size() == default_block_shapes().size());
}
