#include "codegen/nest/loop_nest.hpp"
#include "gui/heat_map/heat_map_panel.hpp"
#include "gui/heat_map/tensor_text.hpp"
#include "gui/heat_map/texel_readout.hpp"
#include "tests/gui/small_study.hpp"

#include <catch2/catch.hpp>

#include <QTest>

using namespace texelscope;
using namespace texelscope::gui;

TEST_CASE("a read-out says where a texel is stored and what happened to it")
{
    LaunchResult launch;
    launch.options.machine.l1().geometry = {
        .capacity = Bytes{512}, .line = Bytes{32}, .ways = 2}; // 8 sets
    StudyImage& image = launch.images.emplace_back();
    image.image = {"A", {8, 8}, Bytes{16}, AddressMode::border};
    LastTouches last{{HeatMap{{8, 8}, std::vector<std::int64_t>(64, 0)}},
                     {HeatMap{{8, 8}, std::vector<std::int64_t>(64, 0)}}};
    constexpr std::size_t at = 2 * 8 + 5; // texel (5, 2)
    for (std::int64_t quantity = 0; quantity < 6; ++quantity) {
        HeatMap map{{8, 8}, std::vector<std::int64_t>(64, 0)};
        map.counts[at] = 10 + quantity;
        image.heat.push_back(map);
    }
    last.warps[0].counts[at] = WarpNumber{7, 3}.code();
    last.accesses[0].counts[at] = 1233; // from 0
    // 4x4 tiles in row order: (5, 2) is in the second tile, at (1, 2) of it: 16 + 2*4 + 1 = 25
    // texels of 16 B.
    const StoredImage stored{.layout = TexelLayout(parse_layout("4x4:row,row"), {8, 8}, Bytes{16}),
                             .base = 4096 + 64,
                             .extent = {8, 8},
                             .bytes_per_texel = 16,
                             .address_mode = AddressMode::border};
    const TexelReadout readout = read_out(launch, 0, stored, &last, {5, 2});
    CHECK(readout.offset == 25 * 16);
    CHECK(readout.line == 12);
    CHECK(readout.set == (130 + 12) % 8);
    REQUIRE(readout.block);
    CHECK(readout.block->at == Texel{1, 0});
    CHECK(readout.block->extent == Extent2D{4, 4});
    CHECK(readout.reads == 10);
    CHECK(readout.misses == 11);
    CHECK(readout.compulsory == 12);
    CHECK(readout.capacity == 13);
    CHECK(readout.conflict == 14);
    CHECK(readout.evictions == 15);
    CHECK(one_line(readout).toStdString() ==
          "A (5, 2)   byte 400, line 12, set 6   reads 10   misses 11 (compulsory 12, capacity 13, "
          "conflict 14)   "
          "evictions 15");
    CHECK(
        several_lines(readout).toStdString() ==
        "A (5, 2)\nbyte 400, line 12, set 6\n4×4 block (1, 0)\nreads 10\nmisses 11\nevictions 15\n"
        "last read by warp 3 of group 7, access 1,234");

    SECTION("which elements of the tensor it holds")
    {
        const Operator op = parse_operator("matmul", "8,8,30");
        image.operand = loop_nest(op, parse_schedule("A=row,column;T=4x4;W=8x8;G=8x8x1")).inputs[0];
        CHECK(several_lines(read_out(launch, 0, stored, nullptr, {5, 2})).toStdString() ==
              "A (5, 2)\nrow 2, column 20..23\nbyte 400, line 12, set 6\n4×4 block (1, 0)\nreads "
              "10\nmisses 11\n"
              "evictions 15");
        CHECK(read_out(launch, 0, stored, nullptr, {7, 3}).elements ==
              "row 3, column 28..29 (2 of 4 padding)");
        CHECK(one_line(read_out(launch, 0, stored, nullptr, {5, 2}))
                  .startsWith("A (5, 2)   row 2, column 20..23   byte"));
        const Operator conv = parse_operator("conv2d", "1,6,5,8,4,3,3,1");
        const LoopNest nest = loop_nest(conv, conv.default_schedule);
        const auto texts = [](const Operand& operand) {
            QStringList all;
            for (std::int32_t y = 0; y < operand.image.extent.height; ++y) {
                for (std::int32_t x = 0; x < operand.image.extent.width; ++x) {
                    all << elements_text(operand, {x, y});
                }
            }
            return all;
        };
        CHECK(texts(nest.inputs[0]).count("batch 0, y 5, x 4, channel 4..7") == 1);
        CHECK(texts(nest.inputs[0]).contains("padding"));
        CHECK(
            texts(nest.inputs[1]).count("tap y 2, tap x 1, input channel 7, output channel 0..3") ==
            1);
    }
    SECTION("what there is not is left out")
    {
        launch.options.machine.l1().geometry.ways = 0; // one set
        const StoredImage rows{.layout = TexelLayout(parse_layout("row"), {8, 8}, Bytes{16}),
                               .base = 0,
                               .extent = {8, 8},
                               .bytes_per_texel = 16,
                               .address_mode = AddressMode::border};
        CHECK(several_lines(read_out(launch, 0, rows, nullptr, {5, 2})).toStdString() ==
              "A (5, 2)\nbyte 336, line 10\nreads 10\nmisses 11\nevictions 15");
        CHECK_FALSE(read_out(launch, 0, rows, &last, {0, 0}).last);
    }
}

TEST_CASE("the heat map's read-out comes to know which warp read a texel last")
{
    HeatMapPanel panel;
    panel.resize(640, 480);
    panel.show();
    const auto study = test::small_study();
    panel.show_study(study);
    const auto readout = [&] {
        return panel.view().readout_at(panel.view().viewport().to_widget({0.5, 0.5}));
    };
    REQUIRE(readout());
    REQUIRE(test::wait_until([&] { return readout()->last.has_value(); }));
    const LastTouches last = last_touches(*study->source, study->options);
    CHECK(readout()->last->warp == WarpNumber::of(last.warps[0].at({0, 0})));
    CHECK(readout()->last->access_index == last.accesses[0].at({0, 0}) + 1);

    // The mouse rests on the map while another launch comes, whose last readers are not known yet.
    QTest::mouseMove(&panel.view(), panel.view().viewport().to_widget({0.5, 0.5}).toPoint());
    auto larger = std::make_shared<LaunchResult>(*study);
    for (StudyImage& image : larger->images) {
        image.image.extent = {image.image.extent.width * 8, image.image.extent.height * 8};
        for (HeatMap& map : image.heat) {
            map = HeatMap{
                image.image.extent,
                std::vector<std::int64_t>(static_cast<std::size_t>(image.image.extent.area()), 1)};
        }
    }
    panel.show_study(larger);
    REQUIRE(readout());
    CHECK_FALSE(readout()->last);
    CHECK(readout()->reads == 1);
}
