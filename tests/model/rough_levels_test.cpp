#include "base/error.hpp"
#include "base/random.hpp"
#include "model/curves/rough_levels.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

using namespace texelscope::model;
using Catch::Matchers::Contains;

TEST_CASE("Rough levels: none to three, near where they are")
{
    const auto curve = [](const std::vector<std::pair<RandomSetCache, double>>& levels) {
        std::vector<ChasePoint> points;
        for (double n = 1; n < 70000; n *= std::sqrt(2.0)) {
            ChasePoint point{std::llround(n), 2, 1, 40};
            for (const auto& [cache, more] : levels) {
                point.ns +=
                    more * miss_share(cache.sets, SetMisses(cache.ways, cache.replacement), point);
            }
            points.push_back(point);
        }
        return points;
    };
    CHECK(rough_levels(curve({})).lines.empty());
    const RoughLevels one = rough_levels(curve({{{64, 4}, 60}}));
    REQUIRE(one.lines.size() == 1);
    CHECK(one.lines[0] == Approx(256).epsilon(0.25));
    CHECK(one.hit_ns == Approx(40).epsilon(0.02));
    CHECK(one.miss_ns[0] == Approx(100).epsilon(0.02));
    const RoughLevels two = rough_levels(curve({{{1, 32}, 60}, {{512, 8}, 100}}));
    REQUIRE(two.lines.size() == 2);
    CHECK(two.lines[0] == Approx(32).epsilon(0.25));
    CHECK(two.lines[1] == Approx(4096).epsilon(0.25));
    CHECK(two.miss_ns[1] == Approx(200).epsilon(0.02));
    // A processor: caches of 768, 4,096 and 32,768 lines.
    const RoughLevels three =
        rough_levels(curve({{{64, 12}, 20}, {{512, 8}, 60}, {{2048, 16}, 120}}));
    REQUIRE(three.lines.size() == 3);
    CHECK(three.lines[0] == Approx(768).epsilon(0.25));
    CHECK(three.lines[1] == Approx(4096).epsilon(0.25));
    CHECK(three.lines[2] == Approx(32768).epsilon(0.25));
}

TEST_CASE("Rough levels of noisy chases are as many as there are")
{
    std::mt19937_64 random(9);
    for (int run = 0; run < 5; ++run) {
        CAPTURE(run);
        std::vector<ChasePoint> points;
        for (double n = 1; n < 70000; n *= std::sqrt(2.0)) {
            ChasePoint point{std::llround(n), 2, 1, 40};
            point.ns += 60 * miss_share(64, SetMisses(4, ReplacementKind::lru), point);
            point.ns += 200 * miss_share(1024, SetMisses(8, ReplacementKind::lru), point);
            point.ns *= std::exp(0.02 * standard_normal(random));
            points.push_back(point);
        }
        const RoughLevels levels = rough_levels(points);
        REQUIRE(levels.lines.size() == 2);
        CHECK(levels.lines[0] == Approx(256).epsilon(0.25));
        CHECK(levels.lines[1] == Approx(8192).epsilon(0.25));
        CHECK(levels.miss_ns[1] == Approx(300).epsilon(0.05));
    }
}

TEST_CASE("Rough levels need measurements")
{
    const std::vector<ChasePoint> few(3, {4, 2, 1, 10});
    CHECK_THROWS_WITH(rough_levels(few), Contains("too few"));
    std::vector<ChasePoint> wrong(5, {4, 2, 1, 10});
    wrong[2].ns = 0;
    CHECK_THROWS_WITH(rough_levels(wrong), Contains("positive latency"));
}

TEST_CASE("The shoulder of a measured cache is no level of its own")
{
    // Medians of chases on an NVIDIA H200 by probe --samples 9, long ones: the least noise that was
    // seen.
    const std::vector<std::pair<std::int64_t, double>> measured{
        {1, 60.3},      {2, 60.2},      {3, 60.1},      {4, 60.1},      {6, 60.2},
        {8, 60.1},      {11, 60.2},     {16, 60.1},     {23, 60.1},     {32, 60.3},
        {45, 60.1},     {64, 60.2},     {91, 60.0},     {128, 60.2},    {181, 60.1},
        {256, 62.5},    {362, 59.9},    {512, 65.1},    {724, 67.7},    {1024, 80.4},
        {1448, 94.9},   {2048, 128.5},  {2896, 169.4},  {4096, 180.4},  {5793, 180.7},
        {8192, 180.7},  {11585, 180.6}, {16384, 180.9}, {23170, 180.9}, {32768, 181.0},
        {46341, 180.8}, {65536, 180.8}};
    std::vector<ChasePoint> points;
    for (const auto& [lines, ns] : measured) {
        points.push_back({lines, 2, 1, ns});
    }
    const RoughLevels levels = rough_levels(points);
    REQUIRE(levels.lines.size() == 1);
    CHECK(levels.lines[0] > 1575);
    CHECK(levels.lines[0] < 2662);
    CHECK(levels.hit_ns == Approx(60).epsilon(0.05));
    CHECK(levels.miss_ns[0] == Approx(180.7).epsilon(0.05));
}
