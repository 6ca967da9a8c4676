#include "base/error.hpp"
#include "model/tmmodel/confidence.hpp"
#include "walk_samples.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace texelscope::model;
using namespace texelscope::test;

namespace {

double distance(const CrossBlockHistogram& a, const CrossBlockHistogram& b)
{
    double squares = 0;
    const auto per_access = [](std::int64_t count, const CrossBlockHistogram& of) {
        return static_cast<double>(count) / static_cast<double>(of.accesses);
    };
    for (std::size_t i = 0; i < a.bins.size(); ++i) {
        squares += std::pow(per_access(a.bins[i].x, a) - per_access(b.bins[i].x, b), 2);
        squares += std::pow(per_access(a.bins[i].y, a) - per_access(b.bins[i].y, b), 2);
    }
    return std::sqrt(squares);
}

/// Mean distance to the three nearest walks but `left_out`, by looking at all of them.
double brute_force(const std::vector<WalkSample>& walks, const CrossBlockHistogram& histogram,
                   std::size_t left_out)
{
    std::vector<double> all;
    for (std::size_t i = 0; i < walks.size(); ++i) {
        if (i != left_out) {
            all.push_back(distance(walks[i].histogram, histogram));
        }
    }
    std::sort(all.begin(), all.end());
    return (all[0] + all[1] + all[2]) / 3;
}

double constant(const CrossBlockHistogram&)
{
    return 1;
}

} // namespace

TEST_CASE("distances and confidence agree with brute force")
{
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const std::vector<WalkSample> walks =
            walk_samples(random, 5 + 40 * static_cast<int>(seed - 1), constant);
        const CalibratedRegion region(walks);

        std::vector<double> apart;
        for (std::size_t i = 0; i < walks.size(); ++i) {
            const double one = brute_force(walks, walks[i].histogram, i);
            CHECK(region.walk_distances().at(i) == Approx(one).margin(1e-12));
            if (one > 0) {
                apart.push_back(one);
            }
        }
        std::sort(apart.begin(), apart.end());
        const double typical = apart[apart.size() / 2];
        CHECK(region.typical_distance() == Approx(typical));

        for (const WalkSample& query : walk_samples(random, 30, constant)) {
            const double expected = brute_force(walks, query.histogram, walks.size());
            CHECK(region.distance(query.histogram) == Approx(expected).margin(1e-12));
            CHECK(region.confidence(query.histogram) ==
                  Approx(expected <= typical ? 1 : typical / expected).epsilon(1e-9));
        }
    }
}

TEST_CASE("confidence falls with the distance and stays above 0 and at most 1")
{
    std::mt19937_64 random(8);
    const std::vector<WalkSample> walks = walk_samples(random, 100, constant);
    const CalibratedRegion region(walks);
    double last = 1;
    for (const std::int64_t factor : {2, 10, 100}) {
        CrossBlockHistogram off = walks.front().histogram;
        for (CrossBlockHistogram::Bin& bin : off.bins) {
            bin.x = factor * off.accesses; // more strides than accesses: nothing like a walk
        }
        const double confidence = region.confidence(off);
        CHECK(confidence > 0);
        CHECK(confidence < last);
        last = confidence;
    }
    CHECK(last < 0.01);
}

TEST_CASE("walks that are all the same leave a scale of one")
{
    std::mt19937_64 random(9);
    const std::vector<WalkSample> same(6, walk_samples(random, 1, constant).front());
    const CalibratedRegion region(same);
    CHECK(region.typical_distance() == 0);
    CHECK(region.confidence(same.front().histogram) == 1);
    CrossBlockHistogram other = same.front().histogram;
    other.bins.front().x += other.accesses; // one more stride for each access: distance 1
    CHECK(region.confidence(other) == Approx(0.5));
}

TEST_CASE("confidence refuses too few walks and other block shapes")
{
    std::mt19937_64 random(10);
    const std::vector<WalkSample> walks = walk_samples(random, 5, constant);
    CHECK_THROWS_AS(CalibratedRegion({walks.begin(), walks.begin() + 4}), Error);
    CHECK_THROWS_AS(CalibratedRegion({}), Error);
    const Extent2D shape{3, 3};
    CHECK_THROWS_AS(CalibratedRegion(walks).distance(
                        cross_block_histogram(std::vector<Texel>{{0, 0}}, {&shape, 1})),
                    Error);
    std::vector<WalkSample> mixed = walks;
    mixed.back().histogram.bins.pop_back();
    CHECK_THROWS_AS(CalibratedRegion(mixed), Error);
}
