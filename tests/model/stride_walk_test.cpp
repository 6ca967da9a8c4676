#include "base/error.hpp"
#include "model/walks/stride_walk.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

using namespace texelscope::model;

TEST_CASE("distributions keep to their rule")
{
    std::mt19937_64 random(1);
    std::set<std::size_t> sizes;
    std::int32_t largest = 0;
    int along_one_axis = 0;
    for (int i = 0; i < 600; ++i) {
        const StrideDistribution distribution =
            draw_distribution(random, {.most_strides = 5, .max_stride = 16});
        REQUIRE(distribution.strides.size() == distribution.probabilities.size());
        sizes.insert(distribution.strides.size());
        CHECK(std::accumulate(distribution.probabilities.begin(), distribution.probabilities.end(),
                              0.0) == Approx(1));
        CHECK(*std::min_element(distribution.probabilities.begin(),
                                distribution.probabilities.end()) >= 0);
        bool x = false;
        bool y = false;
        for (const Stride stride : distribution.strides) {
            REQUIRE((stride.dx >= 0 && stride.dx <= 16 && stride.dy >= 0 && stride.dy <= 16));
            largest = std::max({largest, stride.dx, stride.dy});
            x = x || stride.dx != 0;
            y = y || stride.dy != 0;
        }
        along_one_axis += x != y ? 1 : 0;
    }
    CHECK(sizes == std::set<std::size_t>{1, 2, 3, 4, 5});
    CHECK(largest == 16);
    CHECK(along_one_axis > 300); // two thirds, less those whose strides are all zero
}

TEST_CASE("wandering walks go back, the others never do")
{
    std::mt19937_64 random(2);
    int negative = 0;
    for (int i = 0; i < 100; ++i) {
        for (const Stride stride : draw_distribution(random, {.wandering = 1}).strides) {
            negative += stride.dx < 0 || stride.dy < 0 ? 1 : 0;
        }
    }
    CHECK(negative > 50);
}

TEST_CASE("a walk takes the strides of its distribution about as often as it should, and wraps")
{
    const StrideDistribution distribution{{{1, 0}, {2, 3}, {-1, 5}}, {0.2, 0.7, 0.1}};
    std::mt19937_64 random(3);
    const std::vector<Texel> texels = walk(random, distribution, {10, 9}, 20001);
    REQUIRE(texels.size() == 20001);
    std::map<Stride, int> counts;
    for (std::size_t i = 0; i + 1 < texels.size(); ++i) {
        REQUIRE(Extent2D{10, 9}.contains(texels[i]));
        for (const Stride stride : distribution.strides) {
            if ((texels[i].x + stride.dx + 10) % 10 == texels[i + 1].x &&
                (texels[i].y + stride.dy) % 9 == texels[i + 1].y) {
                counts[stride]++;
            }
        }
    }
    CHECK(counts[{1, 0}] == Approx(4000).margin(250));
    CHECK(counts[{2, 3}] == Approx(14000).margin(300));
    CHECK(counts[{-1, 5}] == Approx(2000).margin(200));
    CHECK(counts[{1, 0}] + counts[{2, 3}] + counts[{-1, 5}] == 20000);
}

TEST_CASE("the same seed draws the same walk")
{
    const auto draw = [](std::uint64_t seed) {
        std::mt19937_64 random(seed);
        return walk(random, draw_distribution(random, {}), {100, 100}, 50);
    };
    CHECK(draw(7) == draw(7));
    CHECK(draw(7) != draw(8));
}

TEST_CASE("walks refuse what makes no sense")
{
    std::mt19937_64 random(1);
    CHECK_THROWS_AS(draw_distribution(random, {.most_strides = 0}), Error);
    CHECK_THROWS_AS(draw_distribution(random, {.max_stride = 12}), Error);
    CHECK_THROWS_AS(draw_distribution(random, {.wandering = 1.5}), Error);
    CHECK_THROWS_AS(draw_distribution(random, {.wandering = std::nan("")}), Error);
    CHECK_THROWS_AS(walk(random, {{{1, 1}}, {1}}, {0, 5}, 10), Error);
    CHECK_THROWS_AS(walk(random, {{{1, 1}}, {1}}, {5, 5}, 1), Error);
    CHECK_THROWS_AS(walk(random, {}, {5, 5}, 10), Error);
}
