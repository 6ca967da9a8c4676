#include "sim/layout/line_shift.hpp"
#include "sim/layout/named_layouts.hpp"
#include "sim/layout/texel_layout.hpp"
#include "tests/sim/random_case.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// Whether any two texels of the image that are `dx` and `dy` apart are the same number of bytes
/// apart.
bool repeats(const TexelLayout& layout, Extent2D extent, std::int32_t dx, std::int32_t dy)
{
    const std::int64_t bytes = layout.offset({dx, dy}) - layout.offset({0, 0});
    for (std::int32_t y = 0; y + dy < extent.height; ++y) {
        for (std::int32_t x = 0; x + dx < extent.width; ++x) {
            if (layout.offset({x + dx, y + dy}) - layout.offset({x, y}) != bytes) {
                return false;
            }
        }
    }
    return true;
}

/// Checks what period() promises over the whole image.
Translation checked_period(const TexelLayout& layout, Extent2D extent)
{
    const Translation period = layout.period();
    REQUIRE((period.texels.width >= 1 && period.texels.width <= extent.width));
    REQUIRE((period.texels.height >= 1 && period.texels.height <= extent.height));
    if (period.texels.width < extent.width) {
        REQUIRE(repeats(layout, extent, period.texels.width, 0));
        REQUIRE(layout.offset({period.texels.width, 0}) - layout.offset({0, 0}) == period.x_bytes);
    } else {
        REQUIRE(period.x_bytes == 0);
    }
    if (period.texels.height < extent.height) {
        REQUIRE(repeats(layout, extent, 0, period.texels.height));
        REQUIRE(layout.offset({0, period.texels.height}) - layout.offset({0, 0}) == period.y_bytes);
    } else {
        REQUIRE(period.y_bytes == 0);
    }
    return period;
}

/// The smallest shifts found by trying all.
Extent2D smallest(const TexelLayout& layout, Extent2D extent)
{
    Extent2D found = extent;
    for (std::int32_t d = extent.width - 1; d >= 1; --d) {
        found.width = repeats(layout, extent, d, 0) ? d : found.width;
    }
    for (std::int32_t d = extent.height - 1; d >= 1; --d) {
        found.height = repeats(layout, extent, 0, d) ? d : found.height;
    }
    return found;
}

bool has_hilbert(const NestedLayout& layout)
{
    return std::any_of(layout.levels.begin(), layout.levels.end(), [](const BlockLevel& l) {
        return l.order == StorageOrder::hilbert && l.width > 1;
    });
}

Translation period_of(const std::string& layout, Extent2D extent, std::int64_t bytes)
{
    return checked_period(TexelLayout(parse_layout(layout), extent, Bytes{bytes}), extent);
}

} // namespace

TEST_CASE("periods known from the layout's description")
{
    CHECK(period_of("row", {64, 32}, 4) == Translation{{1, 1}, 4, 256});
    CHECK(period_of("column", {64, 32}, 4) == Translation{{1, 1}, 128, 4});
    CHECK(period_of("4x4:row,row", {64, 32}, 16) == Translation{{4, 4}, 256, 4096});
    CHECK(period_of("4x4:morton,2x4:row,row", {64, 64}, 16) == Translation{{8, 16}, 2048, 16384});
    CHECK(period_of("8x8:hilbert,row", {20, 20}, 1) == Translation{{8, 8}, 64, 192});
    CHECK(period_of("8x8:hilbert,row", {8, 20}, 1) == Translation{{8, 8}, 0, 64});
    CHECK(period_of("bits:2x1:x0^y2", {8, 16}, 1) == Translation{{2, 8}, 2, 64});
    // bit 2 of y is never set
    CHECK(period_of("bits:2x1:x0^y2", {8, 4}, 1) == Translation{{1, 1}, 1, 8});
    CHECK(period_of("linear-pitch64", {100, 30}, 4) == Translation{{1, 1}, 4, 512});
    CHECK(period_of("mali-u-interleaved", {100, 90}, 4) == Translation{{16, 16}, 1024, 7168});
    CHECK(period_of("nvidia-blocklinear-turing-gob2", {64, 64}, 16) ==
          Translation{{4, 16}, 1024, 16384});
    // 16 B texels, 4 channels: macrotiles of 8x16 texels with nothing above them; no bank swizzle
    // at this width.
    CHECK(period_of("adreno-a6xx-tile3", {60, 64}, 16) == Translation{{8, 16}, 2048, 16384});
    // At 4 B bit 5 of x takes part above a macrotile of 32x16.
    CHECK(period_of("adreno-a6xx-tile3", {200, 64}, 4) == Translation{{64, 16}, 4096, 16384});
    // Swizzled by bits 2 and 3 of the block row (4 rows each): 64 rows, and 1024 texels of the row.
    CHECK(period_of("adreno-a6xx-tile3", {4096, 130}, 4).texels == Extent2D{1024, 64});
    CHECK(period_of("row", {1, 1}, 4) == Translation{{1, 1}, 0, 0});
}

TEST_CASE("periods of random layouts hold over the image, and none is smaller")
{
    int with_period = 0;
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        Random random(seed);
        const LayoutSpec spec = random_layout(random);
        const Extent2D extent{random.small(1, 70), random.small(1, 70)};
        const std::int64_t bytes = random.pick(std::vector<std::int64_t>{4, 8, 16});
        const TexelLayout layout(spec, extent, Bytes{bytes});
        INFO("seed " << seed << ": " << to_string(spec) << " over " << extent.width << "x"
                     << extent.height << "x" << bytes);
        const Translation period = checked_period(layout, extent);
        with_period +=
            period.texels.width < extent.width && period.texels.height < extent.height ? 1 : 0;
        if (const auto* nested = std::get_if<NestedLayout>(&spec);
            nested != nullptr && has_hilbert(*nested)) {
            const Extent2D block = layout.blocks().back();
            REQUIRE(period.texels == Extent2D{std::min(block.width, extent.width),
                                              std::min(block.height, extent.height)});
        } else {
            REQUIRE(period.texels == smallest(layout, extent));
        }
    }
    CHECK(with_period > 300);
}

TEST_CASE("periods of named layouts hold over the image, and none is smaller")
{
    for (const NamedLayoutInfo& info : named_layouts()) {
        for (const std::int64_t bytes : {4, 8, 16}) {
            for (const Extent2D extent :
                 {Extent2D{140, 530}, Extent2D{256, 64}, Extent2D{1024, 40}, Extent2D{13, 70}}) {
                const TexelLayout layout(NamedLayout{info.name}, extent, Bytes{bytes});
                INFO(info.name << " over " << extent.width << "x" << extent.height << "x" << bytes);
                CHECK(checked_period(layout, extent).texels == smallest(layout, extent));
            }
        }
    }
}

TEST_CASE("the smallest shift of a sequence is found as by trying all")
{
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        Random random(seed);
        std::vector<std::int64_t> values{random.between(-3, 3)};
        const int size = random.small(1, 40);
        const int base = random.small(1, 12);
        std::vector<std::int64_t> steps;
        for (int i = 1; i < size; ++i) {
            steps.push_back(i <= base || random.one_in(60)
                                ? random.between(0, 1)
                                : steps[static_cast<std::size_t>(i - 1 - base)]);
            values.push_back(values.back() + steps.back());
        }
        std::vector<std::int64_t> repeated;
        for (int i = 0; i < size; ++i) {
            repeated.push_back(i < 3 * base || random.one_in(90)
                                   ? i % base % 3
                                   : repeated[static_cast<std::size_t>(i - 3 * base)]);
        }
        const auto by_trying = [&](bool both) {
            for (std::size_t p = 1; p < values.size(); ++p) {
                bool holds = true;
                for (std::size_t i = 0; i + p < values.size(); ++i) {
                    holds = holds && values[i + p] - values[i] == values[p] - values[0];
                    holds = holds && (!both || repeated[i + p] == repeated[i]);
                }
                if (holds) {
                    return static_cast<std::int32_t>(p);
                }
            }
            return static_cast<std::int32_t>(size);
        };
        INFO("seed " << seed);
        REQUIRE(smallest_shift(values) == by_trying(false));
        REQUIRE(smallest_shift(values, repeated) == by_trying(true));
    }
    CHECK(smallest_shift({}) == 1);
}
