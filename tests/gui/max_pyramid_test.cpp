#include "gui/heat_map/heat_map_raster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace texelscope::gui;

namespace {

HeatMap random_map(std::mt19937_64& random, bool of_either_sign)
{
    HeatMap map{{static_cast<std::int32_t>(1 + random() % 70),
                 static_cast<std::int32_t>(1 + random() % 70)},
                {}};
    for (std::int64_t i = 0; i < map.extent.area(); ++i) {
        const auto value = random() % 4 == 0 ? static_cast<std::int64_t>(random() % 1000) : 0;
        map.counts.push_back(of_either_sign && random() % 2 == 0 ? -value : value);
    }
    return map;
}

/// Of the texels under a cell: the largest magnitude, of equal ones the positive.
std::int64_t brute_largest(const HeatMap& map, Texel cell, std::int32_t side)
{
    std::int64_t largest = 0;
    for (std::int32_t y = cell.y * side; y < std::min(map.extent.height, (cell.y + 1) * side);
         ++y) {
        for (std::int32_t x = cell.x * side; x < std::min(map.extent.width, (cell.x + 1) * side);
             ++x) {
            const std::int64_t value = map.at({x, y});
            if (std::abs(value) > std::abs(largest) || (value == -largest && value > 0)) {
                largest = value;
            }
        }
    }
    return largest;
}

} // namespace

TEST_CASE("each cell of each level has the largest value of its texels")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        std::mt19937_64 random(seed);
        const HeatMap map = random_map(random, seed % 2 == 0);
        const MaxPyramid pyramid(map);
        CAPTURE(seed, map.extent.width, map.extent.height);
        REQUIRE(pyramid.level(pyramid.levels() - 1).extent == Extent2D{1, 1});
        for (int level = 0; level < pyramid.levels(); ++level) {
            const HeatMap& cells = pyramid.level(level);
            for (std::int32_t y = 0; y < cells.extent.height; ++y) {
                for (std::int32_t x = 0; x < cells.extent.width; ++x) {
                    REQUIRE(cells.at({x, y}) == brute_largest(map, {x, y}, 1 << level));
                }
            }
        }
        CHECK(pyramid.max() == pyramid.level(pyramid.levels() - 1).at({0, 0}));
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
