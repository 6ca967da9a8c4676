#include "base/error.hpp"
#include "sim/layout/texel_layout.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"
#include "tests/sim/layout_oracle.hpp"
#include "tests/sim/random_case.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <set>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// Texel index (offset over bytes per texel) of every texel, row by row.
std::vector<std::int64_t> table(const std::string& layout, Extent2D extent)
{
    const TexelLayout mapped(parse_layout(layout), extent, Bytes{4});
    std::vector<std::int64_t> indices;
    for (std::int32_t y = 0; y < extent.height; ++y) {
        for (std::int32_t x = 0; x < extent.width; ++x) {
            REQUIRE(mapped.offset({x, y}) % 4 == 0);
            indices.push_back(mapped.offset({x, y}) / 4);
        }
    }
    return indices;
}

} // namespace

TEST_CASE("small layouts are as written by hand")
{
    using Table = std::vector<std::int64_t>;
    CHECK(table("row", {3, 2}) == Table{0, 1, 2, 3, 4, 5});
    CHECK(table("column", {3, 2}) == Table{0, 2, 4, 1, 3, 5});
    CHECK(table("4x4:morton,row", {4, 4}) ==
          Table{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15});
    CHECK(table("4x2:morton,row", {4, 2}) == Table{0, 1, 4, 5, 2, 3, 6, 7});
    CHECK(table("2x4:morton,row", {2, 4}) == Table{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(table("8x2:morton,row", {8, 2}) ==
          Table{0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15});
    CHECK(table("2x2:hilbert,row", {2, 2}) == Table{0, 3, 1, 2});
    CHECK(table("4x4:hilbert,row", {4, 4}) ==
          Table{0, 1, 14, 15, 3, 2, 13, 12, 4, 7, 8, 11, 5, 6, 9, 10});
    CHECK(table("2x2:row,row", {4, 4}) ==
          Table{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15});
    CHECK(table("2x2:row,column", {4, 4}) ==
          Table{0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15});
    CHECK(table("2x2:column,row", {4, 2}) == Table{0, 2, 4, 6, 1, 3, 5, 7});
    // Padding: the second tile of each row of tiles is half empty, the second row of tiles too.
    CHECK(table("2x2:row,row", {3, 3}) == Table{0, 1, 4, 2, 3, 6, 8, 9, 12});
    CHECK(TexelLayout(parse_layout("2x2:row,row"), {3, 3}, Bytes{4}).size() == Bytes{64});
}

TEST_CASE("nested levels count in units of the level below")
{
    const TexelLayout layout(parse_layout("2x2:row,4x4:morton,row"), {16, 16}, Bytes{16});
    // tile (1,2) has Morton index 9; (1,1) in it is texel 3
    CHECK(layout.offset({3, 5}) == (9 * 4 + 3) * 16);
    CHECK(layout.offset({11, 5}) == (64 + 39) * 16);
    CHECK(layout.offset({3, 13}) == (128 + 39) * 16);
    CHECK(layout.size() == Bytes{16 * 16 * 16});
}

TEST_CASE("a Hilbert block is a walk over neighbours from one lower corner to the other")
{
    for (const int n : {1, 2, 4, 8, 16, 32, 64}) {
        const TexelLayout layout(NestedLayout{{{n, n, StorageOrder::hilbert}}, StorageOrder::row},
                                 {n, n}, Bytes{1});
        std::vector<Texel> walk(static_cast<std::size_t>(n * n), Texel{-1, -1});
        for (std::int32_t y = 0; y < n; ++y) {
            for (std::int32_t x = 0; x < n; ++x) {
                walk.at(static_cast<std::size_t>(layout.offset({x, y}))) = {x, y};
            }
        }
        INFO("n = " << n);
        CHECK(walk.front() == Texel{0, 0});
        CHECK(walk.back() == Texel{n - 1, 0});
        for (std::size_t i = 1; i < walk.size(); ++i) {
            REQUIRE(std::abs(walk[i].x - walk[i - 1].x) + std::abs(walk[i].y - walk[i - 1].y) == 1);
        }
    }
}

TEST_CASE("random layouts agree with writing the texels out one after the other")
{
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed);
        const NestedLayout spec = random_nested_layout(random);
        const Extent2D extent{random.small(1, 45), random.small(1, 45)};
        const Bytes bytes{random.pick(std::vector<std::int64_t>{1, 2, 4, 8, 12, 16})};
        const TexelLayout layout(spec, extent, bytes);
        const std::vector<Texel> stored = stored_texels(spec, extent);
        INFO("seed " << seed << ": " << to_string(spec) << " over " << extent.width << "x"
                     << extent.height << "x" << bytes.value);
        REQUIRE(layout.spec() == LayoutSpec(spec));
        REQUIRE(layout.size().value == static_cast<std::int64_t>(stored.size()) * bytes.value);
        std::int64_t inside = 0;
        for (std::size_t i = 0; i < stored.size(); ++i) {
            if (extent.contains(stored[i])) {
                ++inside;
                REQUIRE(layout.offset(stored[i]) == static_cast<std::int64_t>(i) * bytes.value);
            }
        }
        REQUIRE(inside == extent.area()); // each texel has one place: the mapping is injective
    }
}

TEST_CASE("layouts of images beyond 4 GiB keep their offsets apart")
{
    const Extent2D extent{20'000, 20'000};
    for (const std::string text :
         {"row", "column", "4x4:morton,row", "8x8:hilbert,column", "32x2:row,2x16:column,row"}) {
        const TexelLayout layout(parse_layout(text), extent, Bytes{16});
        INFO(text);
        std::set<std::int64_t> offsets;
        for (std::int32_t i = 0; i < 200; ++i) {
            const std::int64_t offset = layout.offset({19'999 - i % 20, 19'999 - i / 20});
            CHECK(offset >= 0);
            CHECK(offset + 16 <= layout.size().value);
            CHECK(offsets.insert(offset).second);
        }
    }
    CHECK(TexelLayout(parse_layout("row"), extent, Bytes{16}).offset({19'999, 19'999}) ==
          (20'000LL * 20'000 - 1) * 16);
}

TEST_CASE("layouts print and parse back")
{
    CHECK(parse_layout("row") == LayoutSpec(NestedLayout{}));
    CHECK(parse_layout("column") == LayoutSpec(NestedLayout{{}, StorageOrder::column}));
    CHECK(parse_layout("2x2:row,4x8:morton,column") ==
          LayoutSpec(NestedLayout{{{2, 2, StorageOrder::row}, {4, 8, StorageOrder::morton}},
                                  StorageOrder::column}));
    CHECK(to_string(NestedLayout{{{4, 4, StorageOrder::hilbert}}, StorageOrder::row}) ==
          "4x4:hilbert,row");
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const NestedLayout spec = random_nested_layout(random);
        INFO("seed " << seed << ": " << to_string(spec));
        REQUIRE(parse_layout(to_string(spec)) == LayoutSpec(spec));
    }
}

TEST_CASE("text that is no layout is an error that says so on one line")
{
    const std::string text = GENERATE(
        as<std::string>(), "", "rows", "Row", "row,", ",row", "row,row", "4x4:row", "4x4:row,",
        "4x4:row,,row", "4x4,row", "4x4:,row", ":row,row", "4:row,row", "4x:row,row", "x4:row,row",
        "4x4x4:row,row", "0x4:row,row", "4x0:row,row", "-4x4:row,row", "4.5x4:row,row",
        "4x4:zigzag,row", "morton", "hilbert", "4x4:row,morton", "4x4:row,hilbert",
        "3x4:morton,row", "4x6:morton,row", "8x4:hilbert,row", "3x3:hilbert,row",
        "99999999999x1:row,row", "4x4:row,row,row", "4x4:row;row", "nonsense,4x4:row,row",
        "1000000x1000000:row,1000000x1000000:row,1000000x1000000:row,row");
    INFO(text);
    try {
        (void)parse_layout(text);
        FAIL_CHECK("accepted");
    } catch (const Error& e) {
        CHECK(e.kind() == Error::Kind::bad_input);
        CHECK(std::string(e.what()).find('\n') == std::string::npos);
    }
}

TEST_CASE("images made from buffers lie row by row, whatever the device's layout, and cost what "
          "its rows cost")
{
    const Image image{"A", {70, 3}, Bytes{16}, AddressMode::border, false, 64};
    SimulationOptions options;
    options.machine.layout = parse_layout("4x4:morton,row");
    const StoredImage stored = store_images({&image, 1}, options).front();
    for (std::int32_t y = 0; y < 3; ++y) {
        for (std::int32_t x = 0; x < 70; ++x) {
            REQUIRE(stored.address({x, y}) == (y * 128 + x) * 16);
        }
    }
    CHECK(stored.layout.size() == Bytes{3 * 128 * 16});
}
