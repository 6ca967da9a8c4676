#include "gui/texel_readout.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;

TEST_CASE("a read-out says where a texel is stored and what happened to it")
{
    StudyImage image;
    image.image = {"A", {8, 8}, Bytes{16}, AddressMode::border};
    for (std::int64_t quantity = 0; quantity < 6; ++quantity) {
        HeatMap map{{8, 8}, std::vector<std::int64_t>(64, 0)};
        map.counts[2 * 8 + 5] = 10 + quantity; // texel (5, 2)
        image.heat.push_back(map);
    }
    // 4x4 tiles in row order: (5, 2) is in the second tile, at (1, 2) of it: 16 + 2*4 + 1 = 25 texels of 16 B.
    const TexelLayout layout(parse_layout("4x4:row,row"), image.image.extent, image.image.bytes_per_texel);
    const TexelReadout readout = read_out(image, layout, Bytes{32}, {5, 2});
    CHECK(readout.offset == 25 * 16);
    CHECK(readout.line == 12);
    CHECK(readout.reads == 10);
    CHECK(readout.misses == 11);
    CHECK(readout.compulsory == 12);
    CHECK(readout.capacity == 13);
    CHECK(readout.conflict == 14);
    CHECK(readout.evictions == 15);
    CHECK(
        one_line(readout).toStdString() ==
        "A (5, 2)   byte 400, line 12   reads 10   misses 11 (compulsory 12, capacity 13, conflict 14)   evictions 15");
    CHECK(several_lines(readout).toStdString() == "A (5, 2)\nbyte 400, line 12\nreads 10\nmisses 11\nevictions 15");
}
