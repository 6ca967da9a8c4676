#include "base/error.hpp"
#include "model/tmmodel/growing_warps.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::model;

TEST_CASE("numbers of lanes grow from one to the warp size")
{
    CHECK(growing_widths(64) == std::vector<int>{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64});
    CHECK(growing_widths(32) == std::vector<int>{1, 2, 3, 4, 6, 8, 12, 16, 24, 32});
    CHECK(growing_widths(1) == std::vector<int>{1});
    CHECK(growing_widths(2) == std::vector<int>{1, 2});
    CHECK(growing_widths(20) == std::vector<int>{1, 2, 3, 4, 6, 8, 12, 16, 20});
}

TEST_CASE("lanes stream through their image as the pattern says")
{
    // Lane 2, steps 0 to 8, by hand from x = t, y = r; x = r, y = t; x = floor(r / k), y = t*k + r
    // mod k.
    const std::vector<std::vector<Texel>> expected{
        {{2, 0}, {2, 1}, {2, 2}, {2, 3}, {2, 4}, {2, 5}, {2, 6}, {2, 7}, {2, 8}},
        {{0, 2}, {1, 2}, {2, 2}, {3, 2}, {4, 2}, {5, 2}, {6, 2}, {7, 2}, {8, 2}},
        {{0, 4}, {0, 5}, {1, 4}, {1, 5}, {2, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 4}},
        {{0, 8}, {0, 9}, {0, 10}, {0, 11}, {1, 8}, {1, 9}, {1, 10}, {1, 11}, {2, 8}},
        {{0, 16}, {0, 17}, {0, 18}, {0, 19}, {0, 20}, {0, 21}, {0, 22}, {0, 23}, {1, 16}}};
    for (std::size_t p = 0; p < stream_patterns.size(); ++p) {
        CAPTURE(stream_patterns[p].name);
        const Launch launch =
            growing_warp_launch(stream_patterns[p], {.lanes = 3, .steps = 9, .max_steps = 100});
        CHECK(launch.local == Dim3{3, 1, 1});
        CHECK(launch.group_count() == 1);
        std::vector<Texel> texels;
        for (const ItemRead& read : item_reads(launch, {0, 0, 0}, {2, 0, 0})) {
            texels.push_back(read.texel);
        }
        CHECK(texels == expected[p]);
    }
}

TEST_CASE("the image holds every lane and step, whatever takes part")
{
    for (const StreamPattern& pattern : stream_patterns) {
        CAPTURE(pattern.name);
        const StreamShape all{.lanes = 12, .steps = 50, .max_lanes = 12, .max_steps = 50};
        const Launch launch = growing_warp_launch(pattern, all);
        const Extent2D extent = launch.images.front().extent;
        for (std::int32_t lane = 0; lane < 12; ++lane) {
            for (const ItemRead& read : item_reads(launch, {0, 0, 0}, {lane, 0, 0})) {
                REQUIRE(extent.contains(read.texel));
            }
        }
        // no more than a partial block of slack for each lane
        CHECK(extent.area() < 12 * 50 + 12 * 8);
        CHECK(
            growing_warp_launch(pattern, {.lanes = 1, .steps = 3, .max_lanes = 12, .max_steps = 50})
                .images.front()
                .extent == extent);
    }
    CHECK(stream_patterns[0].reuse_distance == 0);
    CHECK(stream_patterns[4].reuse_distance == 8);
}

TEST_CASE("growing warps refuse shapes that do not fit")
{
    const StreamPattern& row = stream_patterns[1];
    CHECK_THROWS_AS(growing_warp_launch(row, {.lanes = 0}), Error);
    CHECK_THROWS_AS(growing_warp_launch(row, {.lanes = 65}), Error);
    CHECK_THROWS_AS(growing_warp_launch(row, {.steps = 2, .max_steps = 1}), Error);
    CHECK_THROWS_AS(growing_warp_launch(row, {.max_steps = std::int64_t{1} << 40}), Error);
}
