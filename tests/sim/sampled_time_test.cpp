#include "sim/sampled_time.hpp"
#include "sim/simulate.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <utility>

using namespace texelscope::sim;

namespace {

/// Rows by lanes, step by step to the right: nothing comes back, so every wave and every turn takes
/// as long as any other.
Launch streaming(std::int32_t groups, std::int32_t steps)
{
    Launch launch;
    launch.kernel = "stream";
    launch.groups = {groups, 1, 1};
    launch.local = {64, 1, 1};
    launch.images.push_back(
        {.name = "data", .extent = {steps, 64 * groups}, .bytes_per_texel = Bytes{16}});
    const auto ids = work_item_variables(launch.groups, launch.local);
    const Variable step{slots::first_loop_slot, "r", {0, steps - 1}};
    const IndexExpr row = IndexExpr(ids[slots::group_x]) * 64 + IndexExpr(ids[slots::local_x]);
    launch.body.emplace_back(Loop{step, {AccessFunction{0, IndexExpr(step), row}}});
    return launch;
}

SimulationOptions device()
{
    SimulationOptions options;
    options.mode.timed = true;
    options.machine.cores = 4;
    options.kernel.occupancy = 4;
    return options;
}

double whole_time(const Launch& launch, const SimulationOptions& options)
{
    return simulate(*make_trace_source(launch), options).time(options.machine)->value;
}

} // namespace

TEST_CASE("A launch that is short enough is simulated as a whole", "[sampled]")
{
    const Launch launch = streaming(32, 50);
    const SampledTime sampled = sampled_time(launch, device(), 32 * 50);
    CHECK(sampled.whole());
    CHECK(sampled.accesses == 32 * 50);
    CHECK(sampled.time.value == Approx(whole_time(launch, device())).epsilon(1e-12));
}

TEST_CASE("Waves that are alike are added up", "[sampled]")
{
    const Launch launch = streaming(160, 64); // ten waves
    const SampledTime sampled = sampled_time(launch, device(), 2'000);
    CHECK(sampled.simulated_accesses == (16 + 32) * 64);
    CHECK(sampled.time.value == Approx(whole_time(launch, device())).epsilon(0.01));
}

TEST_CASE("Waves are counted by work-groups, however many a row of the launch has", "[sampled]")
{
    // Ten waves of 16 groups and one group more. Whole rows would add up to 21 or to 35 groups.
    Launch launch = streaming(161, 64);
    launch.groups = {7, 23, 1};
    const auto ids = work_item_variables(launch.groups, launch.local);
    const IndexExpr group = IndexExpr(ids[slots::group_x]) + IndexExpr(ids[slots::group_y]) * 7;
    auto& loop = std::get<Loop>(launch.body.front());
    std::get<AccessFunction>(loop.body.front()).y = group * 64 + IndexExpr(ids[slots::local_x]);
    const double whole = whole_time(launch, device());
    const SampledTime by_waves = sampled_time(launch, device(), 2'000);
    CHECK(by_waves.simulated_accesses == (17 + 33) * 64);
    CHECK(by_waves.time.value == Approx(whole).epsilon(0.01));
    const SampledTime by_loops = sampled_time(launch, device(), 500);
    CHECK(by_loops.simulated_accesses < 17 * 64);
    CHECK(by_loops.time.value == Approx(whole).epsilon(0.02));
}

TEST_CASE("Cores are left out where each has its own share of the work, and the user has not said "
          "how many",
          "[sampled]")
{
    const Launch launch = streaming(64, 20); // 1.3 MB
    SimulationOptions options = device();
    options.machine.cores = 8;
    options.mode.warm_l2 = true;
    options.machine.l2().geometry.capacity = Bytes{4 << 20};
    const std::int64_t all = 64 * 20;
    CHECK(sampled_time(launch, options, all).simulated_accesses == all / 2);
    options.mode.simulated_cores = 2;
    CHECK(sampled_time(launch, options, all).simulated_accesses == all / 4);
    options.mode.simulated_cores = {};
    options.machine.dispatch = Dispatch::dynamic;
    const SampledTime sampled = sampled_time(launch, options, all);
    CHECK(sampled.simulated_accesses == all);
    CHECK(sampled.time.value == Approx(whole_time(launch, options)).epsilon(1e-12));
}

TEST_CASE("Turns that are alike are added up", "[sampled]")
{
    const Launch launch = streaming(16, 4096); // one wave
    const SampledTime sampled = sampled_time(launch, device(), 2'000);
    CHECK(sampled.simulated_accesses < 3'200);
    CHECK(sampled.time.value == Approx(whole_time(launch, device())).epsilon(0.02));
}

TEST_CASE("What comes after a loop is not taken for the loop's", "[sampled]")
{
    // All read the same four texels in turn, and in the end 24 texels of their own: from memory,
    // which takes as long as many turns.
    for (const std::int32_t groups : {16, 48, 75}) {
        Launch launch = streaming(groups, 64);
        constexpr std::int32_t turns = 512;
        const auto ids = work_item_variables(launch.groups, launch.local);
        const IndexExpr item = IndexExpr(ids[slots::group_x]) * 64 + IndexExpr(ids[slots::local_x]);
        const Variable turn{slots::first_loop_slot, "r", {0, turns - 1}};
        launch.body = {Loop{turn, {AccessFunction{0, mod(IndexExpr(turn), 4), IndexExpr(0)}}}};
        launch.images.push_back(
            {.name = "after", .extent = {24, 64 * groups}, .bytes_per_texel = Bytes{16}});
        for (int i = 0; i < 24; ++i) {
            launch.body.emplace_back(AccessFunction{1, IndexExpr(i), item});
        }
        for (const std::int64_t most : {500, 1'000, 4'000}) {
            CAPTURE(groups, most);
            const SampledTime sampled = sampled_time(launch, device(), most);
            CHECK_FALSE(sampled.whole());
            CHECK(sampled.time.value == Approx(whole_time(launch, device())).epsilon(0.1));
        }
    }
}

TEST_CASE("Work-groups that are mostly guarded away take the room of the warps that read",
          "[sampled]")
{
    Launch launch = streaming(160, 64);
    launch.local = {64, 4, 1};
    launch.guards.push_back(
        {IndexExpr(work_item_variables(launch.groups, launch.local)[slots::local_y]), 1});
    const SampledTime sampled = sampled_time(launch, device(), 2'000);
    CHECK(sampled.accesses == 160 * 64);
    CHECK(sampled.time.value == Approx(whole_time(launch, device())).epsilon(0.01));
}

TEST_CASE("Accesses of a sample are counted without simulating them", "[sampled]")
{
    for (const auto& [groups, steps] :
         {std::pair{32, 50}, std::pair{160, 64}, std::pair{16, 4096}, std::pair{37, 7}}) {
        const Launch launch = streaming(groups, steps);
        for (const std::int64_t most : {100, 2'000, 20'000}) {
            CAPTURE(groups, steps, most);
            CHECK(sampled_accesses(launch, device(), most) ==
                  sampled_time(launch, device(), most).simulated_accesses);
        }
    }
}
