#include "base/error.hpp"
#include "sim/layout/bit_layout.hpp"
#include "sim/layout/texel_layout.hpp"
#include "tests/sim/layout_oracle.hpp"
#include "tests/sim/random_case.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace texelscope::sim;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

std::vector<std::int64_t> table(const std::string& layout, Extent2D extent, std::int64_t bytes)
{
    const TexelLayout mapped(parse_layout(layout), extent, Bytes{bytes});
    std::vector<std::int64_t> offsets;
    for (std::int32_t y = 0; y < extent.height; ++y) {
        for (std::int32_t x = 0; x < extent.width; ++x) {
            offsets.push_back(mapped.offset({x, y}));
        }
    }
    return offsets;
}

std::string message_of(const std::string& text)
{
    try {
        (void)parse_layout(text);
    } catch (const Error& error) {
        CHECK(error.kind() == Error::Kind::bad_input);
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        return error.what();
    }
    return "no error";
}

} // namespace

TEST_CASE("small layouts by bits are as written by hand")
{
    using Table = std::vector<std::int64_t>;
    CHECK(table("bits:2x2:x0^y0,y0", {4, 2}, 1) == Table{0, 1, 4, 5, 3, 2, 7, 6});
    CHECK(table("bits:2x2:y0,x0", {2, 4}, 4) == Table{0, 8, 4, 12, 16, 24, 20, 28});
    CHECK(table("bits:2x1:x0^1", {4, 1}, 1) == Table{1, 0, 3, 2});
    CHECK(table("bits:2x1:x0^y0", {4, 3}, 1) == Table{0, 1, 2, 3, 5, 4, 7, 6, 8, 9, 10, 11});
    CHECK(table("bits:2x1:x0^x1", {6, 1}, 1) == Table{0, 1, 3, 2, 4, 5});
    CHECK(table("bits:1x1:", {3, 2}, 3) == Table{0, 3, 6, 9, 12, 15});
    CHECK(table("bits:1x1:pad4x1", {3, 2}, 2) == Table{0, 2, 4, 8, 10, 12});
    CHECK(TexelLayout(parse_layout("bits:2x2:y0,x0,pad8x1"), {3, 3}, Bytes{4}).size() ==
          Bytes{8 * 4 * 4});
    CHECK(TexelLayout(parse_layout("bits:4x2:y0,x0,x1,pad2x8"), {5, 3}, Bytes{1}).size() ==
          Bytes{8 * 8});
}

TEST_CASE("random layouts by bits agree with taking the bits one by one, and store no two texels "
          "in one place")
{
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        Random random(seed);
        const BitLayout spec = random_bit_layout(random);
        const Extent2D extent{random.small(1, 90), random.small(1, 60)};
        const std::int64_t bytes = random.pick(std::vector<std::int64_t>{1, 2, 4, 8, 12, 16});
        const TexelLayout layout(spec, extent, Bytes{bytes});
        const StoredOffsets stored = stored_image(spec, extent, bytes);
        INFO("seed " << seed << ": " << to_string(spec) << " over " << extent.width << "x"
                     << extent.height << "x" << bytes);
        REQUIRE(layout.size() == Bytes{stored.size});
        std::set<std::int64_t> places;
        for (std::int32_t y = 0; y < extent.height; ++y) {
            for (std::int32_t x = 0; x < extent.width; ++x) {
                const std::int64_t offset = layout.offset({x, y});
                REQUIRE(offset == stored.at({x, y}));
                REQUIRE(offset % bytes == 0);
                REQUIRE((offset >= 0 && offset + bytes <= stored.size));
                places.insert(offset);
            }
        }
        REQUIRE(static_cast<std::int64_t>(places.size()) == extent.area());
    }
}

TEST_CASE("bits are refused exactly where two texels of a tile would share a place")
{
    int refused = 0;
    int accepted = 0;
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        Random random(seed);
        const int x_bits = random.small(0, 3);
        const int y_bits = random.small(0, 3);
        BitLayout layout{{1 << x_bits, 1 << y_bits}, {}, {1, 1}};
        for (int i = 0; i < x_bits + y_bits; ++i) {
            layout.bits.push_back({static_cast<std::uint32_t>(random.between(0, 15)),
                                   static_cast<std::uint32_t>(random.between(0, 15)),
                                   random.one_in(2)});
        }
        BitLayout in_tile = layout; // bits above the tile are 0 in the first one
        const StoredOffsets first = stored_image(in_tile, in_tile.tile, 1);
        const std::set<std::int64_t> places(first.offsets.begin(), first.offsets.end());
        const bool injective = static_cast<std::int64_t>(places.size()) == layout.tile.area();
        INFO("seed " << seed << ": " << to_string(layout));
        if (injective) {
            REQUIRE_NOTHROW(check(layout, "it"));
            REQUIRE(parse_layout(to_string(layout)) == LayoutSpec(layout));
            ++accepted;
        } else {
            REQUIRE_THROWS_WITH(check(layout, "it"), Contains("share a place"));
            REQUIRE_THROWS_AS(TexelLayout(layout, {8, 8}, Bytes{4}), Error);
            ++refused;
        }
    }
    CHECK(refused > 300);
    CHECK(accepted > 300);
}

TEST_CASE("layouts by bits print and parse back")
{
    const BitLayout expected{
        {4, 2}, {{.x = 0b1001, .y = 0b10, .inverted = true}, {.y = 1}, {.x = 2}}, {64, 16}};
    CHECK(parse_layout("bits:4x2:x0^x3^y1^1,y0,x1,pad64x16") == LayoutSpec(expected));
    CHECK(parse_layout("bits:4x2:1^y1^x3^x0,y0,x1,pad64x16") == LayoutSpec(expected));
    CHECK(to_string(expected) == "bits:4x2:x0^x3^y1^1,y0,x1,pad64x16");
    CHECK(to_string(LayoutSpec(BitLayout{})) == "bits:1x1:");
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const BitLayout layout = random_bit_layout(random);
        INFO("seed " << seed << ": " << to_string(layout));
        REQUIRE(parse_layout(to_string(layout)) == LayoutSpec(layout));
    }
}

TEST_CASE("every malformed layout by bits is told what is wrong with it")
{
    const std::vector<std::pair<std::string, std::string>> cases{
        {"bits:", "the tile has no bits"},
        {"bits:4x4", "the tile has no bits"},
        {"bits::x0", "'' is not a size"},
        {"bits:4:x0,x1", "'4' is not a size"},
        {"bits:4x:x0,x1", "'' is not a size"},
        {"bits:x4:x0,x1", "'' is not a size"},
        {"bits:4x-4:x0,x1", "'-4' is not a size"},
        {"bits:4x4x4:x0,x1", "'4x4' is not a size"},
        {"bits:0x4:y0,y1", "sides must be powers of two up to 32768: 0x4"},
        {"bits:3x1:x0,x1", "sides must be powers of two up to 32768: 3x1"},
        {"bits:65536x1:x0", "'65536' is not a size"},
        {"bits:2x2:", "a tile of 2x2 texels takes 2 bits, not 0"},
        {"bits:2x2:x0", "a tile of 2x2 texels takes 2 bits, not 1"},
        {"bits:2x2:x0,y0,x1", "a tile of 2x2 texels takes 2 bits, not 3"},
        {"bits:1x1:x0", "a tile of 1x1 texels takes 0 bits, not 1"},
        {"bits:2x2:x0,", "'' is not a bit"},
        {"bits:2x2:,x0,y0", "'' is not a bit"},
        {"bits:2x2:x0,y0,", "'' is not a bit"},
        {"bits:2x2:x0^,y0", "'' is not a bit"},
        {"bits:2x2:^x0,y0", "'' is not a bit"},
        {"bits:2x2:x0,z0", "'z0' is not a bit"},
        {"bits:2x2:x0,0", "'0' is not a bit"},
        {"bits:2x2:x0,11", "'11' is not a bit"},
        {"bits:2x2:x0, y0", "' y0' is not a bit"},
        {"bits:2x2:x0,y", "'' is not a number of a bit, as in x0 to x30"},
        {"bits:2x2:x0,y-1", "'-1' is not a number of a bit"},
        {"bits:2x2:x0,y0^x31", "'31' is not a number of a bit"},
        {"bits:2x2:x0,y0^xx", "'x' is not a number of a bit"},
        {"bits:2x2:x0^x0^x1,y0", "'x0' is in one xor twice"},
        {"bits:2x2:x0^1^1,y0", "'1' is in one xor twice"},
        {"bits:2x2:x0,x0",
         "two texels of a tile would share a place: within a tile of 2x2, bit 1 follows"},
        {"bits:2x2:x0^y0,x0^y0^1", "bit 1 follows"},
        {"bits:2x2:x0,x1", "bit 1 follows"},
        {"bits:2x2:1,y0", "bit 0 follows"},
        {"bits:4x4:x0^y0,y0^x1,x0^x1,y1", "bit 2 follows"},
        {"bits:2x2:pad2x2,x0,y0", "bits follow the padding"},
        {"bits:2x2:x0,y0,pad", "'' is not a size"},
        {"bits:2x2:x0,y0,pad3x2", "sides must be powers of two up to 32768: 3x2"},
        {"bits:2x2:x0,y0,pad64", "'64' is not a size"},
        {"bits:2x2:x0,y0,pad64x16,", "bits follow the padding"},
        {"bits:2x2:x0,y0,row", "'row' is not a bit"},
    };
    for (const auto& [text, what] : cases) {
        INFO(text);
        CHECK_THAT(message_of(text), Contains("layout '" + text + "': ") && Contains(what));
    }
    const BitLayout high{{2, 1}, {{.x = 1, .y = 1U << 31}}, {1, 1}};
    CHECK_THROWS_WITH(check(high, "it"), Contains("above bit 30"));
}

TEST_CASE("an image that layouts by bits cannot number is refused")
{
    const BitLayout wide = std::get<BitLayout>(parse_layout("bits:1x1:pad32768x32768"));
    CHECK_THROWS_WITH(TexelLayout(wide, {2147483647, 1}, Bytes{1}),
                      Contains("no room for its padding"));
    CHECK_THROWS_WITH(TexelLayout(NestedLayout{}, {2147483647, 2147483647}, Bytes{2147483647}),
                      Contains("more bytes than can be numbered"));
}
