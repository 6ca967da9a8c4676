// Pools of registers from the jumps of kernels that fill them.

#include "model/curves/register_pool.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace texelscope::model;

namespace {

/// Whether the warps find room, counted warp by warp.
bool run_together(std::int64_t pool, int partitions, int step, int own, std::int64_t warp_size,
                  std::int64_t warps, int live)
{
    std::int64_t each = 0;
    while (each < live + own) {
        each += step;
    }
    std::vector<std::int64_t> left(static_cast<std::size_t>(partitions), pool / partitions);
    for (std::int64_t warp = 0; warp < warps; ++warp) {
        std::int64_t& mine = left[static_cast<std::size_t>(warp % partitions)];
        mine -= warp_size * each;
        if (mine < 0) {
            return false;
        }
    }
    return true;
}

} // namespace

TEST_CASE("how registers are handed out is found from where warps stop to run together")
{
    std::mt19937_64 random(7);
    const auto one_of = [&](std::vector<int> numbers) {
        return numbers[random() % numbers.size()];
    };
    for (int round = 0; round < 200; ++round) {
        const int partitions = one_of({1, 1, 2, 4}), step = one_of({1, 2, 4, 8, 32});
        const int own = one_of({0, 3, 6, 11});
        const std::int64_t warp_size = one_of({16, 32, 64});
        const std::int64_t pool = 1024 * one_of({16, 32, 48, 64, 72});
        CAPTURE(partitions, step, own, warp_size, pool);
        std::vector<RegisterJump> jumps;
        for (std::int64_t warps = 2; warps <= 1024 / warp_size; ++warps) {
            for (int live = 1; live < 255; ++live) {
                if (run_together(pool, partitions, step, own, warp_size, warps, live) &&
                    !run_together(pool, partitions, step, own, warp_size, warps, live + 1)) {
                    jumps.push_back({warps, live, live + 1});
                }
            }
        }
        if (jumps.empty()) {
            continue;
        }
        const auto pools = explain_jumps(jumps, warp_size);
        const auto truth = std::find_if(pools.begin(), pools.end(), [&](const RegisterPool& found) {
            return found.partitions == partitions && found.step == step && found.own == own;
        });
        REQUIRE(truth != pools.end());
        CHECK(truth->low <= pool);
        CHECK(truth->high >= pool);
    }
}

TEST_CASE("the jumps of an NVIDIA H200 are explained by 65,536 registers in four partitions and "
          "steps of eight")
{
    // experiments/measurements/h200-probe/registers.json, where time rises by more than a quarter
    // within two registers
    std::vector<RegisterJump> jumps;
    for (std::int64_t warps = 17; warps <= 32; ++warps) {
        const int fits = warps <= 20 ? 90 : warps <= 24 ? 74 : warps <= 28 ? 66 : 58;
        jumps.push_back({warps, fits, fits + 1});
    }
    const auto pools = explain_jumps(jumps, 32);
    REQUIRE(pools.size() == 1);
    CHECK(pools[0].partitions == 4);
    CHECK(pools[0].step == 8);
    CHECK(pools[0].own == 6);
    CHECK(pools[0].low == 65536);
    CHECK(pools[0].high < 66560);
}

TEST_CASE("jumps that contradict each other are explained by nothing")
{
    const std::vector<RegisterJump> jumps{
        {2, 100, 101}, {4, 100, 101}, {8, 100, 101}, {16, 100, 101}};
    CHECK(explain_jumps(jumps, 32).empty());
    CHECK(explain_jumps({}, 32).empty());
}
