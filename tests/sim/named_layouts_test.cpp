#include "base/error.hpp"
#include "sim/layout/named_layouts.hpp"
#include "sim/layout/texel_layout.hpp"
#include "tests/base/random.hpp"
#include "tests/sim/layout_oracle.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

using namespace texelscope::sim;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

std::vector<std::int64_t> known_sizes(const NamedLayoutInfo& layout)
{
    return layout.texel_bytes.empty() ? std::vector<std::int64_t>{1, 2, 3, 4, 8, 12, 16}
                                      : layout.texel_bytes;
}

/// Every texel of the image against the oracle; no place twice; none outside of size().
void check_image(const std::string& name, Extent2D extent, std::int64_t bytes)
{
    INFO(name << " over " << extent.width << "x" << extent.height << "x" << bytes);
    const TexelLayout layout(parse_layout(name), extent, Bytes{bytes});
    const StoredOffsets stored = stored_image(NamedLayout{name}, extent, bytes);
    REQUIRE(layout.size() == Bytes{stored.size});
    std::vector<bool> taken(static_cast<std::size_t>(stored.size / bytes), false);
    std::int64_t wrong = 0;
    std::int64_t outside = 0;
    std::int64_t twice = 0;
    for (std::int32_t y = 0; y < extent.height; ++y) {
        for (std::int32_t x = 0; x < extent.width; ++x) {
            const std::int64_t offset = layout.offset({x, y});
            wrong += offset == stored.at({x, y}) ? 0 : 1;
            if (offset < 0 || offset + bytes > stored.size || offset % bytes != 0) {
                ++outside;
                continue;
            }
            const auto place = static_cast<std::size_t>(offset / bytes);
            twice += taken[place] ? 1 : 0;
            taken[place] = true;
        }
    }
    REQUIRE(wrong == 0);
    REQUIRE(outside == 0);
    REQUIRE(twice == 0);
}

} // namespace

TEST_CASE("named layouts: images that are and are not multiples of the tile, at every texel size")
{
    const std::vector<Extent2D> extents{{1, 1},     {15, 40},   {16, 16},  {17, 9},    {64, 64},
                                        {63, 65},   {1, 200},   {200, 1},  {129, 130}, {128, 32},
                                        {130, 127}, {256, 256}, {512, 40}, {1000, 33}, {1024, 130},
                                        {2048, 70}, {4096, 36}};
    for (const NamedLayoutInfo& layout : named_layouts()) {
        for (const std::int64_t bytes : known_sizes(layout)) {
            for (const Extent2D extent : extents) {
                check_image(layout.name, extent, bytes);
            }
        }
    }
}

TEST_CASE("named layouts: random sizes")
{
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed);
        const auto& all = named_layouts();
        const NamedLayoutInfo& layout = all[static_cast<std::size_t>(
            random.between(0, static_cast<std::int64_t>(all.size()) - 1))];
        INFO("seed " << seed);
        check_image(layout.name,
                    {random.small(1, random.one_in(4) ? 1500 : 150), random.small(1, 150)},
                    random.pick(known_sizes(layout)));
    }
}

TEST_CASE("named layouts that depend on the image's width do")
{
    // The bank swizzle of Adreno: bits 2 and 3 of the block row move a texel along its row of
    // macrotiles, in images whose row is a whole multiple of what it moves about in; the A5xx uses
    // bit 4 as well.
    const auto row_of_texel = [](const std::string& name, std::int32_t width, std::int32_t y) {
        const TexelLayout layout(NamedLayout{name}, {width, 128}, Bytes{4});
        // within its row of macrotiles
        return layout.offset({0, y}) % (std::int64_t{width} * 16 * 4);
    };
    CHECK(row_of_texel("adreno-a6xx-tile3", 512, 16) == 1 << 14);
    CHECK(row_of_texel("adreno-a6xx-tile3", 448, 16) == 0);
    CHECK(row_of_texel("adreno-a6xx-tile3", 512, 32) == 0);
    CHECK(row_of_texel("adreno-a6xx-tile3", 1024, 32) == 1 << 15);
    CHECK(row_of_texel("adreno-a6xx-tile3", 2048, 64) == 0);
    CHECK(row_of_texel("adreno-a5xx-tile3", 2048, 64) == 1 << 16);
    CHECK(row_of_texel("adreno-a5xx-tile3", 1024, 64) == 0);
    CHECK(row_of_texel("adreno-a6xx-a7xx-tile3-8ch", 1024, 16) == (1 << 15) + (1 << 10));
    CHECK(row_of_texel("adreno-a6xx-a7xx-tile3-8ch", 512, 16) == 1 << 10);

    const TexelLayout narrow(NamedLayout{"adreno-a6xx-tile3"}, {15, 3}, Bytes{8});
    CHECK(narrow.offset({14, 2}) == (2 * 64 + 14) * 8);
}

TEST_CASE("a layout is refused for texels whose storage is not known")
{
    for (const NamedLayoutInfo& layout : named_layouts()) {
        for (const std::int64_t bytes : {1, 2, 3, 4, 6, 8, 12, 16, 32}) {
            const auto known = known_sizes(layout);
            INFO(layout.name << ", " << bytes << " B");
            if (layout.texel_bytes.empty() || std::count(known.begin(), known.end(), bytes) > 0) {
                CHECK_NOTHROW(TexelLayout(NamedLayout{layout.name}, {40, 40}, Bytes{bytes}));
            } else {
                CHECK_THROWS_WITH(
                    TexelLayout(NamedLayout{layout.name}, {40, 40}, Bytes{bytes}),
                    Contains(layout.name) &&
                        Contains("texels of " + std::to_string(bytes) + " bytes") &&
                        Contains("it is known for " + std::to_string(known.front()) + ","));
            }
        }
    }
}

TEST_CASE("names parse, print back, and a wrong one is told the near or all names")
{
    std::set<std::string> seen;
    for (const NamedLayoutInfo& layout : named_layouts()) {
        INFO(layout.name);
        CHECK(parse_layout(layout.name) == LayoutSpec(NamedLayout{layout.name}));
        CHECK(to_string(parse_layout(layout.name)) == layout.name);
        CHECK_FALSE(layout.about.empty());
        CHECK_FALSE(layout.source.empty());
        CHECK(seen.insert(layout.name).second);
        CHECK_THROWS_WITH(parse_layout("nonsense"), Contains(layout.name));
    }
    CHECK_THROWS_WITH(parse_layout("adreno-a6x-tile3"),
                      Contains("did you mean 'adreno-a6xx-tile3'?"));
    CHECK_THROWS_WITH(parse_layout("rows"), Contains("did you mean 'row'?"));
    CHECK_THROWS_WITH(parse_layout(""), Contains("one of row, column"));
    CHECK_THROWS_WITH(TexelLayout(NamedLayout{"nonsense"}, {4, 4}, Bytes{4}), Contains("nonsense"));
}

TEST_CASE("docs/reference/layouts.md lists every named layout with its texel sizes and source")
{
    std::ifstream file(TEXELSCOPE_SOURCE "/docs/reference/layouts.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    REQUIRE_FALSE(text.empty());
    for (const NamedLayoutInfo& layout : named_layouts()) {
        const auto gob = layout.name.find("-gob");
        const std::string name =
            gob == std::string::npos ? layout.name : layout.name.substr(0, gob) + "-gobH";
        std::string known;
        for (const std::int64_t bytes : layout.texel_bytes) {
            known += (known.empty() ? "" : ", ") + std::to_string(bytes);
        }
        INFO(name);
        const auto row = text.find("| `" + name + "` |");
        REQUIRE(row != std::string::npos);
        const std::string line = text.substr(row, text.find('\n', row) - row);
        CHECK_THAT(line, Contains("| " + (known.empty() ? "any" : known) + " |") &&
                             Contains(layout.source));
    }
}
