// Warps and lanes from the order in which work-items come to a counter.

#include "model/walks/arrival_order.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>

using namespace texelscope::model;

namespace {

/// `groups` batches of `together` warps each, one batch after the other; within a batch the warps
/// take turns, each a lane at a time, warps shuffled.
std::vector<std::int32_t> arrivals(int warp, int together, int batches, unsigned seed)
{
    std::vector<int> warps(static_cast<std::size_t>(together * batches));
    std::iota(warps.begin(), warps.end(), 0);
    std::shuffle(warps.begin(), warps.end(), std::mt19937(seed));
    std::vector<std::int32_t> order(warps.size() * static_cast<std::size_t>(warp));
    std::int32_t count = 0;
    for (int batch = 0; batch < batches; ++batch) {
        for (int lane = 0; lane < warp; ++lane) {
            for (int i = 0; i < together; ++i) {
                order[static_cast<std::size_t>(
                    warps[static_cast<std::size_t>(batch * together + i)] * warp + lane)] = count++;
            }
        }
    }
    return order;
}

} // namespace

TEST_CASE("warps that take turns at a counter are counted")
{
    const auto warp = GENERATE(8, 16, 32, 64, 128);
    const auto together = GENERATE(1, 2, 3, 4);
    const auto seed = GENERATE(1U, 2U, 3U);
    CAPTURE(warp, together, seed);
    const auto order = arrivals(warp, together, 5, seed);
    CHECK(warps_together(order, static_cast<std::size_t>(warp)) == together);
}

TEST_CASE("warps that come in one go, in any order, show their size")
{
    // Five warps: no two of them that are neighbours may come one after the other all the time.
    const auto warp = GENERATE(8, 16, 32, 64);
    std::vector<std::int32_t> order;
    for (const int place : {3, 0, 4, 2, 1, 5}) {
        for (int lane = 0; lane < warp; ++lane) {
            order.push_back(place * warp + lane);
        }
    }
    CHECK(longest_runs(order) == warp);
    CHECK(warps_together(order, static_cast<std::size_t>(warp)) == 1);
    CHECK(warps_together({}, 32) == 0);
}
