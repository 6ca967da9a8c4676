#include "base/error.hpp"
#include "traces/image.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::traces;

TEST_CASE("an image is declared by name, size and bytes per texel")
{
    const Image image = parse_image("weights_2:640x48x8");
    CHECK(image.name == "weights_2");
    CHECK(image.extent == Extent2D{640, 48});
    CHECK(image.bytes_per_texel.value == 8);
    CHECK(image.address_mode == AddressMode::border);
}

TEST_CASE("a malformed image declaration is an error")
{
    const std::string text =
        GENERATE("", "A", "A:", ":4x4x16", "A:4x4", "A:4x4x", "A:x4x16", "A:4x4x16x2", "A:4x4x16 ",
                 "A:4 x4x16", "A:0x4x16", "A:4x0x16", "A:4x4x0", "A:-4x4x16", "A:4x4x-16",
                 "A:4.5x4x16", "A:4,4,16", "A:99999999999x4x16", "A:4x4x99999999999999999999",
                 "A;4x4x16", "A,B:4x4x16", "A B:4x4x16", "A\tB:4x4x16", "\x1b[2J:4x4x16");
    INFO(text);
    CHECK_THROWS_AS(parse_image(text), Error);
}

TEST_CASE("an extent contains exactly its texels")
{
    const Extent2D extent{3, 2};
    int inside = 0;
    for (std::int32_t y = -2; y < 5; ++y) {
        for (std::int32_t x = -2; x < 6; ++x) {
            inside += extent.contains({x, y}) ? 1 : 0;
        }
    }
    CHECK(inside == 6);
    CHECK(extent.area() == 6);
    CHECK(extent.contains({2, 1}));
    CHECK_FALSE(extent.contains({3, 1}));
    CHECK_FALSE(extent.contains({0, -1}));
}
