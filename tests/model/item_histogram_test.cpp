#include "model/tmmodel/item_histogram.hpp"
#include "traces/formats/csv_trace.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::model;

namespace {

/// 3 x 2 groups of 40 x 3 work-items; those with gx*40 + lx >= 100 read nothing. Two images.
Launch sample_launch()
{
    Launch launch;
    launch.images = {{.name = "A", .extent = {256, 64}}, {.name = "B", .extent = {64, 256}}};
    launch.groups = {3, 2, 1};
    launch.local = {40, 3, 1};
    const auto variables = work_item_variables(launch.groups, launch.local);
    const IndexExpr column =
        IndexExpr(variables[slots::group_x]) * 40 + IndexExpr(variables[slots::local_x]);
    const IndexExpr row =
        IndexExpr(variables[slots::group_y]) * 3 + IndexExpr(variables[slots::local_y]);
    const Variable r{slots::first_loop_slot, "r", {0, 11}};
    launch.guards.push_back({column, 100});
    launch.body.emplace_back(Loop{r,
                                  {AccessFunction{0, column, row + IndexExpr(r)},
                                   AccessFunction{1, IndexExpr(r) * 3, column}}});
    return launch;
}

} // namespace

TEST_CASE("the texels of a work-item are those of the access functions, image by image")
{
    const Launch launch = sample_launch();
    const auto source = make_trace_source(launch);
    for (const std::int32_t item : {0, 17, 63, 64, 119}) {
        CAPTURE(item);
        const Dim3 local{item % 40, item / 40, 0};
        std::vector<std::vector<Texel>> expected(2);
        for (const ItemRead& read : item_reads(launch, {1, 1, 0}, local)) {
            expected[static_cast<std::size_t>(read.image)].push_back(read.texel);
        }
        CHECK(item_texels(*source, 1 + 3 * 1, item) == expected);
    }
    // 80 + 30 is guarded off
    CHECK(item_texels(*source, 2, 30) == std::vector<std::vector<Texel>>(2));
    CHECK(item_texels(*source, 2, 9999) == std::vector<std::vector<Texel>>(2));
}

TEST_CASE("the histograms of all work-items add up to those of each")
{
    const Launch launch = sample_launch();
    const ItemHistograms histograms = item_histograms(*make_trace_source(launch));
    std::vector<CrossBlockHistogram> sum(2, cross_block_histogram({}));
    std::int64_t items = 0;
    for (std::int32_t gy = 0; gy < 2; ++gy) {
        for (std::int32_t gx = 0; gx < 3; ++gx) {
            for (std::int32_t item = 0; item < 120; ++item) {
                std::vector<std::vector<Texel>> texels(2);
                for (const ItemRead& read :
                     item_reads(launch, {gx, gy, 0}, {item % 40, item / 40, 0})) {
                    texels[static_cast<std::size_t>(read.image)].push_back(read.texel);
                }
                items += texels[0].empty() ? 0 : 1;
                for (std::size_t image = 0; image < 2; ++image) {
                    const CrossBlockHistogram one = cross_block_histogram(texels[image]);
                    sum[image].accesses += one.accesses;
                    for (std::size_t b = 0; b < one.bins.size(); ++b) {
                        sum[image].bins[b].x += one.bins[b].x;
                        sum[image].bins[b].y += one.bins[b].y;
                    }
                }
            }
        }
    }
    CHECK(items == 100 * 6);
    CHECK(histograms.items == items);
    CHECK(histograms.total == sum);
    CHECK(histograms.mean(0).accesses == 12);
    CHECK(histograms.mean(0).bins.front().y == 11); // the column moves down at each step
}

TEST_CASE("reads outside of the image count as what they touch")
{
    const std::vector<TraceRow> rows{{.step = 0, .texel = {-1, 0}},
                                     {.step = 1, .texel = {1, 0}},
                                     {.step = 2, .texel = {9, 5}},
                                     {.step = 3, .texel = {3, 3}}};
    const auto touched = [&](AddressMode mode) {
        const auto source =
            make_trace_source("t", {{.name = "A", .extent = {4, 4}, .address_mode = mode}}, rows);
        return item_texels(*source, 0, 0).front();
    };
    CHECK(touched(AddressMode::border) == std::vector<Texel>{{1, 0}, {3, 3}});
    CHECK(touched(AddressMode::edge) == std::vector<Texel>{{0, 0}, {1, 0}, {3, 3}, {3, 3}});
}
