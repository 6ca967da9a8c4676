#include "base/error.hpp"
#include "base/random.hpp"
#include "model/curves/cache_curve.hpp"
#include "sim/cache/cache.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <set>

using namespace texelscope::model;
using Catch::Matchers::Contains;

namespace {

/// Share of misses in the timed passes of chases over random lines of a cache, the mean of many
/// draws.
double simulated_share(const RandomSetCache& shape, const ChasePoint& chase, int draws,
                       std::mt19937_64& random)
{
    CacheGeometry geometry;
    geometry.line = Bytes{64};
    geometry.capacity = Bytes{64 * shape.lines()};
    geometry.ways = static_cast<int>(shape.ways);
    geometry.replacement = shape.replacement;
    constexpr std::int64_t all_lines = 1 << 16;
    double misses = 0;
    for (int draw = 0; draw < draws; ++draw) {
        std::set<std::int64_t> different;
        std::vector<std::int64_t> lines;
        while (std::ssize(lines) < chase.lines) {
            const auto line = static_cast<std::int64_t>(uniform_below(random, all_lines));
            if (different.insert(line).second) {
                lines.push_back(line);
            }
        }
        Cache cache(geometry, Bytes{64 * all_lines});
        std::int64_t before = 0;
        for (int pass = 0; pass < chase.warm_passes + chase.passes; ++pass) {
            before = pass == chase.warm_passes ? cache.statistics().misses() : before;
            for (const std::int64_t line : lines) {
                cache.lookup(line * 64);
            }
        }
        misses += static_cast<double>(cache.statistics().misses() - before);
    }
    return misses / static_cast<double>(draws * chase.lines * chase.passes);
}

std::vector<ChasePoint> chases_of(const RandomSetCache& cache, double hit, double miss,
                                  double noise, std::mt19937_64& random)
{
    const SetMisses set(cache.ways, cache.replacement);
    std::vector<ChasePoint> points;
    for (double n = static_cast<double>(cache.lines()) / 4;
         n < static_cast<double>(cache.lines()) * 4; n *= 1.1) {
        ChasePoint point{std::max<std::int64_t>(1, std::llround(n)), 2, 1, 0};
        point.ns = hit + (miss - hit) * miss_share(cache.sets, set, point);
        double normal = -6; // near enough: a sum of twelve uniform numbers
        for (int i = 0; i < 12; ++i) {
            normal += uniform_real(random);
        }
        point.ns *= std::exp(noise * normal);
        points.push_back(point);
    }
    return points;
}

} // namespace

TEST_CASE("The expected share of misses is that of caches over random lines")
{
    std::mt19937_64 random(1);
    for (const RandomSetCache& cache :
         {RandomSetCache{1, 24}, RandomSetCache{2, 16}, RandomSetCache{32, 4},
          RandomSetCache{16, 1}, RandomSetCache{8, 8, ReplacementKind::plru},
          RandomSetCache{8, 8, ReplacementKind::random},
          RandomSetCache{8, 8, ReplacementKind::fifo}}) {
        const SetMisses set(cache.ways, cache.replacement);
        for (const double load : {0.5, 0.8, 1.0, 1.25, 2.0}) {
            const ChasePoint chase{
                static_cast<std::int64_t>(load * static_cast<double>(cache.lines())), 2, 2, 1};
            CAPTURE(cache.sets, cache.ways, to_string(cache.replacement), chase.lines);
            CHECK(miss_share(cache.sets, set, chase) ==
                  Approx(simulated_share(cache, chase, 400, random)).margin(0.025));
        }
    }
}

TEST_CASE("A fit finds the cache that chases were made with, with noise of 2 % too")
{
    std::mt19937_64 random(2);
    for (int i = 0; i < 12; ++i) {
        const RandomSetCache cache{std::int64_t{1} << uniform_below(random, 9),
                                   std::int64_t{2} << uniform_below(random, 5)};
        const auto points = chases_of(cache, 50, 120, i % 2 == 0 ? 0 : 0.02, random);
        const auto fits =
            fit_caches(points, cache_candidates(cache.lines() / 2, cache.lines() * 2), 3);
        CAPTURE(i, cache.sets, cache.ways, fits[0].cache.sets, fits[0].cache.ways);
        CHECK(fits[0].cache.lines() == cache.lines());
        CHECK(fits[0].cache.ways == cache.ways);
        CHECK(fits[0].hit_ns == Approx(50).epsilon(0.02));
        CHECK(fits[0].miss_ns == Approx(120).epsilon(0.02));
        CHECK(fits[0].criterion <= fits[1].criterion);
    }
}

TEST_CASE("Chases that are no measurement are refused")
{
    const std::vector<ChasePoint> few(3, {4, 2, 1, 10});
    CHECK_THROWS_WITH(fit_caches(few, cache_candidates(1, 8), 1), Contains("too few"));
    std::vector<ChasePoint> wrong(5, {4, 2, 1, 10});
    wrong[2].ns = 0;
    CHECK_THROWS_WITH(fit_caches(wrong, cache_candidates(1, 8), 1), Contains("positive latency"));
}
