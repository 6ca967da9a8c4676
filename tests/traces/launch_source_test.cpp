#include "tests/traces/random_launch.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace texelscope::traces;
using namespace texelscope::test;

namespace {

/// warp -> accesses, from the reads of each work-item.
std::map<std::int32_t, std::vector<WarpAccess>> expected_warps(const TwinLaunch& twin, Dim3 group,
                                                               int warp_size)
{
    std::map<std::int32_t, std::vector<WarpAccess>> warps;
    const Dim3 n = twin.launch.local;
    std::int32_t item = 0;
    for (std::int32_t z = 0; z < n[2]; ++z) {
        for (std::int32_t y = 0; y < n[1]; ++y) {
            for (std::int32_t x = 0; x < n[0]; ++x, ++item) {
                const std::vector<ItemRead> reads = twin.reads(group, {x, y, z});
                if (reads.empty()) {
                    continue;
                }
                std::vector<WarpAccess>& accesses = warps[item / warp_size];
                accesses.resize(reads.size());
                for (std::size_t step = 0; step < reads.size(); ++step) {
                    accesses[step].step = static_cast<std::uint32_t>(step);
                    accesses[step].lanes.push_back({reads[step].texel,
                                                    static_cast<std::uint16_t>(reads[step].image),
                                                    static_cast<std::uint16_t>(item % warp_size)});
                }
            }
        }
    }
    return warps;
}

} // namespace

TEST_CASE("the trace of random launches holds the reads of each work-item, in its lane and step")
{
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        Random random(seed + 5000);
        const TwinLaunch twin = random_launch(random);
        const Launch& l = twin.launch;
        const int warp_size = random.pick(std::vector<int>{1, 2, 3, 4, 7, 8, 16, 32, 64});
        const auto source = make_trace_source(l);
        INFO("seed " << seed << ", warp size " << warp_size);
        REQUIRE(source->group_count() == l.group_count());
        REQUIRE(std::vector<Image>(source->images().begin(), source->images().end()) == l.images);
        std::int64_t number = 0;
        for (std::int32_t z = 0; z < l.groups[2]; ++z) {
            for (std::int32_t y = 0; y < l.groups[1]; ++y) {
                for (std::int32_t x = 0; x < l.groups[0]; ++x, ++number) {
                    const auto expected = expected_warps(twin, {x, y, z}, warp_size);
                    std::vector<std::int32_t> numbers;
                    for (const auto& [warp, accesses] : expected) {
                        numbers.push_back(warp);
                    }
                    REQUIRE(source->warps(number, warp_size) == numbers);
                    if (!numbers.empty()) {
                        REQUIRE(source->next_group(number) == number);
                    }
                    for (const auto& [warp, accesses] : expected) {
                        const auto stream = source->open(number, warp, warp_size);
                        WarpAccess got;
                        for (const WarpAccess& want : accesses) {
                            REQUIRE(stream->next(got));
                            REQUIRE(got.step == want.step);
                            REQUIRE(got.lanes == want.lanes);
                        }
                        REQUIRE_FALSE(stream->next(got));
                        REQUIRE_FALSE(stream->next(got));
                    }
                }
            }
        }
    }
}

TEST_CASE("warps can be opened side by side and in any order")
{
    const auto ids = work_item_variables({2, 1, 1}, {4, 1, 1});
    const Variable k{6, "k", {0, 2}};
    Launch launch;
    launch.kernel = "two";
    launch.images = {{"A", {64, 64}}};
    launch.groups = {2, 1, 1};
    launch.local = {4, 1, 1};
    launch.body = {
        Loop{k, {AccessFunction{0, IndexExpr(ids[0]) + IndexExpr(ids[3]) * 10, IndexExpr(k)}}}};
    const auto source = make_trace_source(launch);
    const auto late = source->open(1, 1, 2);
    const auto early = source->open(0, 0, 2);
    WarpAccess a;
    WarpAccess b;
    for (std::uint32_t step = 0; step < 3; ++step) {
        REQUIRE(late->next(a));
        REQUIRE(early->next(b));
        const auto y = static_cast<std::int32_t>(step);
        CHECK(a.step == step);
        CHECK(a.lanes == std::vector<LaneRead>{{{12, y}, 0, 0}, {{13, y}, 0, 1}});
        CHECK(b.lanes == std::vector<LaneRead>{{{0, y}, 0, 0}, {{1, y}, 0, 1}});
    }
    CHECK_FALSE(late->next(a));
    CHECK_FALSE(early->next(b));
}

TEST_CASE("a launch without reads has no warps")
{
    Launch launch;
    launch.images = {{"A", {4, 4}}};
    launch.groups = {2, 2, 1};
    launch.local = {8, 1, 1};
    CHECK(make_trace_source(launch)->warps(3, 4).empty());
}
