#include "gui/max_pyramid.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace texelscope;

namespace {

HeatMap random_map(std::mt19937_64& random)
{
    HeatMap map{{static_cast<std::int32_t>(1 + random() % 70), static_cast<std::int32_t>(1 + random() % 70)}, {}};
    for (std::int64_t i = 0; i < map.extent.area(); ++i) {
        map.counts.push_back(random() % 4 == 0 ? static_cast<std::int64_t>(random() % 1000) : 0);
    }
    return map;
}

std::int64_t brute_max(const HeatMap& map, const MaxPyramid::Range& range)
{
    std::int64_t max = 0;
    for (std::int32_t y = std::max(0, range.y0); y < std::min(map.extent.height, range.y1); ++y) {
        for (std::int32_t x = std::max(0, range.x0); x < std::min(map.extent.width, range.x1); ++x) {
            max = std::max(max, map.at({x, y}));
        }
    }
    return max;
}

std::pair<std::int32_t, std::int32_t> random_range(std::mt19937_64& random, std::int32_t size)
{
    const auto limit = static_cast<std::uint64_t>(size);
    const auto first = static_cast<std::int32_t>(random() % limit);
    return {first, first + 1 + static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(size - first))};
}

} // namespace

TEST_CASE("a range's maximum is that of the texels, its borders moved out to whole cells")
{
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        std::mt19937_64 random(seed);
        const HeatMap map = random_map(random);
        const MaxPyramid pyramid(map);
        CAPTURE(seed, map.extent.width, map.extent.height);
        REQUIRE(pyramid.level(pyramid.levels() - 1).extent == Extent2D{1, 1});
        CHECK(pyramid.max() == map.max());
        for (int level = 0; level < pyramid.levels(); ++level) {
            const auto [x0, x1] = random_range(random, map.extent.width);
            const auto [y0, y1] = random_range(random, map.extent.height);
            const std::int32_t cell = 1 << level;
            const MaxPyramid::Range grown{x0 / cell * cell, (x1 + cell - 1) / cell * cell, y0 / cell * cell,
                                          (y1 + cell - 1) / cell * cell};
            CHECK(pyramid.max_over(level, {x0, x1, y0, y1}) == brute_max(map, grown));
        }
    }
}

TEST_CASE("a level's cells are not wider than asked for, and the next coarser ones are")
{
    const MaxPyramid pyramid(HeatMap{{1000, 3}, std::vector<std::int64_t>(3000, 1)});
    for (double texels = 0.01; texels < 900; texels *= 1.3) {
        const int level = pyramid.level_for(texels);
        CAPTURE(texels, level);
        CHECK((level == 0 || (1 << level) <= texels));
        CHECK((level + 1 == pyramid.levels() || (2 << level) > texels));
    }
}
