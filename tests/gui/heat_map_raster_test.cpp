#include "gui/heat_map/heat_map_raster.hpp"
#include "workbench/plots/colour_map.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

using namespace texelscope::gui;

namespace {

constexpr QRgb untouched = 0xff808080;
constexpr QRgb outside = 0xff000001;
constexpr std::int64_t hot = 1000;

struct Case {
    HeatMap map;
    std::set<Texel> hot_texels;
    Viewport view;
};

/// Cold counts, isolated hot texels, and a viewport of any zoom that has the image's middle in it.
Case random_case(std::mt19937_64& random)
{
    Case c{{{static_cast<std::int32_t>(1 + random() % 400),
             static_cast<std::int32_t>(1 + random() % 400)},
            {}},
           {},
           {}};
    for (std::int64_t i = 0; i < c.map.extent.area(); ++i) {
        c.map.counts.push_back(static_cast<std::int64_t>(random() % 3));
    }
    for (int i = 0; i < 12; ++i) {
        const auto at = static_cast<std::size_t>(random() % c.map.counts.size());
        c.map.counts[at] = hot;
        const auto width = static_cast<std::size_t>(c.map.extent.width);
        c.hot_texels.insert(
            {static_cast<std::int32_t>(at % width), static_cast<std::int32_t>(at / width)});
    }
    // 1/128 to 8 pixels a texel
    const double exponent = -7 + 10 * static_cast<double>(random() % 1000) / 1000;
    c.view.scale = std::exp2(exponent);
    // so that the middle of no texel falls on the border between two pixels
    constexpr double off = 0.0123;
    c.view.origin = {
        c.map.extent.width * 0.5 + off - static_cast<double>(random() % 200) / c.view.scale,
        c.map.extent.height * 0.5 + off - static_cast<double>(random() % 150) / c.view.scale};
    return c;
}

} // namespace

TEST_CASE("an isolated hot texel is seen at every zoom, and only near its place")
{
    const QSize size(200, 150);
    int seen = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        std::mt19937_64 random(seed);
        const Case c = random_case(random);
        const MaxPyramid pyramid(c.map);
        const ColourTable colours(HeatLayer::Kind::counts, ValueScale(ValueAxis::linear, c.map), {},
                                  untouched);
        const QImage image =
            heat_map_raster(pyramid, Fold(c.map.extent), c.view, size, colours, outside);
        CAPTURE(seed, c.view.scale, c.map.extent.width, c.map.extent.height);
        std::set<std::pair<int, int>> near; // pixels that may be hot
        for (const Texel texel : c.hot_texels) {
            const QPointF middle = c.view.to_widget({texel.x + 0.5, texel.y + 0.5});
            const QPoint pixel(static_cast<int>(std::floor(middle.x())),
                               static_cast<int>(std::floor(middle.y())));
            if (image.rect().contains(pixel)) {
                REQUIRE(image.pixel(pixel) == colours.colour(hot));
                ++seen;
            }
            const int reach = static_cast<int>(std::ceil(c.view.scale / 2)) + 2;
            for (int y = pixel.y() - reach; y <= pixel.y() + reach; ++y) {
                for (int x = pixel.x() - reach; x <= pixel.x() + reach; ++x) {
                    near.emplace(x, y);
                }
            }
        }
        bool stray = false;
        for (int y = 0; y < size.height(); ++y) {
            for (int x = 0; x < size.width(); ++x) {
                stray =
                    stray || (image.pixel(x, y) == colours.colour(hot) && !near.contains({x, y}));
            }
        }
        CHECK_FALSE(stray);
    }
    CHECK(seen > 500);
}

TEST_CASE("magnified, each pixel has the count of the texel at its middle")
{
    const QSize size(123, 97);
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        std::mt19937_64 random(seed);
        Case c = random_case(random);
        c.view.scale = 1 + static_cast<double>(random() % 900) / 100;
        const MaxPyramid pyramid(c.map);
        const ColourTable colours(HeatLayer::Kind::counts,
                                  ValueScale(ValueAxis::logarithmic, c.map), {}, untouched);
        const QImage image =
            heat_map_raster(pyramid, Fold(c.map.extent), c.view, size, colours, outside);
        CAPTURE(seed, c.view.scale);
        int wrong = 0;
        for (int y = 0; y < size.height(); ++y) {
            for (int x = 0; x < size.width(); ++x) {
                const Texel texel = c.view.texel_at({x + 0.5, y + 0.5});
                const QRgb expected =
                    c.map.extent.contains(texel) ? colours.colour(c.map.at(texel)) : outside;
                wrong += image.pixel(x, y) != expected;
            }
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("colours are the map's nearest of 256, and 0 is outside of it")
{
    const auto of_step = [](double position) {
        const Rgb rgb = viridis(std::round(position * 255) / 255);
        return qRgb(rgb[0], rgb[1], rgb[2]);
    };
    for (const std::int64_t max : {std::int64_t{1}, std::int64_t{100}, std::int64_t{1} << 40}) {
        for (const ColourScale scale : {ColourScale::linear, ColourScale::logarithmic}) {
            const HeatMap map{{2, 1}, {0, max}};
            const ValueAxis axis =
                scale == ColourScale::linear ? ValueAxis::linear : ValueAxis::logarithmic;
            const ColourTable colours(HeatLayer::Kind::counts, ValueScale(axis, map), {},
                                      untouched);
            CHECK(colours.colour(0) == untouched);
            CHECK(colours.colour(max) == of_step(1));
            for (std::int64_t value = 1; value < max; value = value * 3 + 1) {
                CAPTURE(max, value);
                CHECK(colours.colour(value) == of_step(scale_position(value, max, scale)));
            }
            // Half of the positions: what lies above has the last colour.
            const ColourTable half(HeatLayer::Kind::counts, ValueScale(axis, map), {0.25, 0.5},
                                   untouched);
            CHECK(half.colour(max) == of_step(1));
            CHECK(half.colour(1) ==
                  of_step(std::clamp((scale_position(1, max, scale) - 0.25) * 4, 0.0, 1.0)));
        }
    }
}

TEST_CASE("differences have a neutral zero and two sides; warps side by side have other colours")
{
    const ValueScale scale(ValueAxis::linear, HeatMap{{3, 1}, {-40, 0, 100}});
    const ColourTable colours(HeatLayer::Kind::difference, scale, {}, untouched);
    CHECK(colours.colour(0) == diverging_colour(0));
    CHECK(colours.colour(100) == diverging_colour(1));
    CHECK(colours.colour(-100) == diverging_colour(-1));
    CHECK(qBlue(colours.colour(-40)) > qRed(colours.colour(-40)));
    CHECK(qRed(colours.colour(40)) > qBlue(colours.colour(40)));
    const ColourTable warps(HeatLayer::Kind::warps, {}, {}, untouched);
    for (std::int64_t group = 0; group < 9; ++group) {
        for (std::int32_t warp = 0; warp < 9; ++warp) {
            const QRgb colour = warps.colour(WarpNumber{group, warp}.code());
            CHECK(colour != warps.colour(WarpNumber{group, warp + 1}.code()));
            CHECK(colour != warps.colour(WarpNumber{group + 1, warp}.code()));
        }
    }
}

TEST_CASE("a blended part is the mean of both by the colour's alpha, and nothing else changes")
{
    QImage image(20, 10, QImage::Format_RGB32);
    image.fill(qRgb(200, 100, 0));
    blend(image, QRect(-3, 4, 10, 2), QColor(0, 200, 100, 51)); // a fifth
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const bool inside = x < 7 && y >= 4 && y < 6;
            CHECK(image.pixel(x, y) == (inside ? qRgb(160, 120, 20) : qRgb(200, 100, 0)));
        }
    }
}
