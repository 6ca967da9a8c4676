#include "gui/heat_map/colour_table.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace texelscope::gui;

namespace {

HeatMap random_map(std::mt19937_64& random)
{
    HeatMap map{{static_cast<std::int32_t>(1 + random() % 40),
                 static_cast<std::int32_t>(1 + random() % 40)},
                {}};
    const std::int64_t most = std::int64_t{1} << (random() % 40);
    for (std::int64_t i = 0; i < map.extent.area(); ++i) {
        const auto value =
            static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
        map.counts.push_back(random() % 3 == 0 ? 0 : random() % 5 == 0 ? -value : value);
    }
    return map;
}

/// Counted one by one.
double rank_of(const HeatMap& map, std::int64_t magnitude)
{
    double below = 0;
    double equal = 0;
    double all = 0;
    for (const std::int64_t value : map.counts) {
        all += value != 0 ? 1 : 0;
        below += value != 0 && std::abs(value) < magnitude ? 1 : 0;
        equal += value != 0 && std::abs(value) == magnitude ? 1 : 0;
    }
    return (below + equal / 2) / all;
}

} // namespace

TEST_CASE("positions are shares, logarithms or ranks, and never fall")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        std::mt19937_64 random(seed);
        const HeatMap map = random_map(random);
        std::int64_t max = 0;
        for (const std::int64_t value : map.counts) {
            max = std::max(max, std::abs(value));
        }
        CAPTURE(seed, max);
        const ValueScale linear(ValueAxis::linear, map);
        const ValueScale logarithmic(ValueAxis::logarithmic, map);
        const ValueScale percentile(ValueAxis::percentile, map);
        for (const std::int64_t value : map.counts) {
            const auto magnitude = std::abs(value);
            if (magnitude == 0) {
                CHECK(linear.position(value) == 0);
                CHECK(percentile.position(value) == 0);
                continue;
            }
            CHECK(linear.position(value) ==
                  Approx(static_cast<double>(magnitude) / static_cast<double>(max)));
            CHECK(logarithmic.position(value) == Approx(std::log1p(magnitude) / std::log1p(max)));
            CHECK(percentile.position(value) ==
                  Approx(magnitude == max ? 1 : rank_of(map, magnitude)));
        }
        for (const ValueScale* scale : {&linear, &logarithmic, &percentile}) {
            CHECK(scale->max() == max);
            double last = 0;
            for (std::int64_t value = 0; value <= max; value += max / 50 + 1) {
                CHECK(scale->position(value) >= last);
                last = scale->position(value);
            }
            for (const double at : {0.1, 0.5, 0.93}) {
                const std::int64_t value = scale->value_from(at);
                CHECK((scale->position(value) >= at || value >= max));
                CHECK((value == 1 || scale->position(value - 1) < at));
            }
        }
    }
}

TEST_CASE("the histogram has every texel with a value once, at its position")
{
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        std::mt19937_64 random(seed);
        const HeatMap map = random_map(random);
        for (const ValueAxis axis :
             {ValueAxis::linear, ValueAxis::logarithmic, ValueAxis::percentile}) {
            const ValueScale scale(axis, map);
            std::vector<std::int64_t> expected(16, 0);
            for (const std::int64_t value : map.counts) {
                if (value != 0) {
                    const auto bin = static_cast<std::size_t>(scale.position(value) * 16);
                    ++expected[std::min<std::size_t>(bin, 15)];
                }
            }
            CHECK(scale.histogram(16) == expected);
        }
    }
    CHECK(ValueScale().position(5) == 0);
    CHECK(ValueScale(ValueAxis::percentile, HeatMap{{2, 1}, {0, 0}}).max() == 0);
}
