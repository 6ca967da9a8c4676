#include "gui/heat_map/fold.hpp"
#include "gui/heat_map/heat_map_panel.hpp"
#include "gui/heat_map/heat_map_raster.hpp"
#include "tests/gui/small_study.hpp"

#include <catch2/catch.hpp>

#include <QCheckBox>
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

std::int32_t one_to(std::mt19937_64& random, std::uint64_t most)
{
    return static_cast<std::int32_t>(1 + random() % most);
}

Fold random_fold(std::mt19937_64& random, std::uint64_t side)
{
    const Extent2D image{one_to(random, side), one_to(random, side)};
    const Fold::Axis axis = random() % 2 == 0 ? Fold::Axis::x : Fold::Axis::y;
    return Fold(image, axis, one_to(random, side), one_to(random, 5), one_to(random, 6));
}

constexpr QRgb no_count = 0xff808080;
constexpr QRgb gap_colour = 0xff000001;

} // namespace

TEST_CASE("each texel of a folded image has a place of its own in the plane, and gaps have none")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        std::mt19937_64 random(seed);
        const Fold fold = random_fold(random, 60);
        CAPTURE(seed);
        std::set<Texel> places;
        for (std::int32_t y = 0; y < fold.image().height; ++y) {
            for (std::int32_t x = 0; x < fold.image().width; ++x) {
                const Texel place = fold.place({x, y});
                REQUIRE(fold.plane().contains(place));
                REQUIRE(fold.texel_at(place) == Texel{x, y});
                REQUIRE(places.insert(place).second);
                // Neighbours along the other axis, and along this one inside of a band, stay
                // neighbours.
                const bool along_x = fold.axis() == Fold::Axis::x;
                if (x + 1 < fold.image().width && (!along_x || (x + 1) % fold.length() != 0)) {
                    REQUIRE(fold.place({x + 1, y}) == Texel{place.x + 1, place.y});
                }
                if (y + 1 < fold.image().height && (along_x || (y + 1) % fold.length() != 0)) {
                    REQUIRE(fold.place({x, y + 1}) == Texel{place.x, place.y + 1});
                }
            }
        }
        std::int64_t held = 0;
        for (std::int32_t y = -2; y < fold.plane().height + 2; ++y) {
            for (std::int32_t x = -2; x < fold.plane().width + 2; ++x) {
                const bool texel = fold.texel_at({x, y}).has_value();
                REQUIRE(texel == places.contains({x, y}));
                held += texel;
            }
        }
        CHECK(held == fold.image().area());
    }
}

TEST_CASE("the bands of a fold are its image, cut up")
{
    const Fold fold({10, 7}, Fold::Axis::y, 3, 2, 2);
    REQUIRE(fold.bands() == 3);
    CHECK(fold.plane() == Extent2D{22, 8}); // two bands and a gap; two rows of three and a gap
    CHECK(fold.place({4, 2}) == Texel{4, 2});
    CHECK(fold.place({4, 3}) == Texel{16, 0});
    CHECK(fold.place({4, 6}) == Texel{4, 5});
    CHECK(fold.texels(2).y1 == 7);
    CHECK_FALSE(fold.texel_at({10, 0})); // a gap
    CHECK_FALSE(fold.texel_at({4, 6}));  // below the last row of the last band
    CHECK_FALSE(fold.texel_at({16, 5})); // beside the last band
    const Fold whole(Extent2D{10, 7});
    CHECK_FALSE(whole.folded());
    CHECK(whole.plane() == whole.image());
    CHECK(whole.place({9, 6}) == Texel{9, 6});
}

TEST_CASE("magnified, each pixel of a folded map has the colour of the texel that lies there")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        std::mt19937_64 random(seed);
        const Fold fold = random_fold(random, 50);
        HeatMap map{fold.image(), {}};
        for (std::int64_t i = 0; i < map.extent.area(); ++i) {
            map.counts.push_back(static_cast<std::int64_t>(random() % 200) -
                                 (seed % 2 == 0 ? 100 : 0));
        }
        const auto kind = seed % 2 == 0 ? HeatLayer::Kind::difference : HeatLayer::Kind::counts;
        const ColourTable colours(kind, ValueScale(ValueAxis::linear, map), {}, no_count);
        Viewport view;
        view.scale = 1 + static_cast<double>(random() % 600) / 100;
        view.origin = {static_cast<double>(random() % 20) - 5 + 0.0123,
                       static_cast<double>(random() % 20) - 5 + 0.0123};
        const QImage image =
            heat_map_raster(MaxPyramid(map), fold, view, {150, 120}, colours, gap_colour);
        int wrong = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                const auto texel = fold.texel_at(view.texel_at({x + 0.5, y + 0.5}));
                wrong += image.pixel(x, y) != (texel ? colours.colour(map.at(*texel)) : gap_colour);
            }
        }
        CAPTURE(seed, view.scale);
        CHECK(wrong == 0);
    }
}

TEST_CASE("a reduced pixel of a folded map has a maximum of texels near it of one band alone")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        std::mt19937_64 random(seed);
        const bool wide = random() % 2 == 0;
        const std::int32_t length = 8 * one_to(random, 12);
        const std::int32_t size = length * 3 + one_to(random, 8);
        const std::int32_t other = one_to(random, 60);
        const Extent2D extent = wide ? Extent2D{size, other} : Extent2D{other, size};
        const Fold fold(extent, wide ? Fold::Axis::x : Fold::Axis::y, length, one_to(random, 30),
                        wide ? 1 : 4);
        // A texel's value says its band: what is mixed is seen.
        HeatMap map{extent, {}};
        for (std::int32_t y = 0; y < extent.height; ++y) {
            for (std::int32_t x = 0; x < extent.width; ++x) {
                map.counts.push_back(20 * ((wide ? x : y) / length) +
                                     static_cast<std::int64_t>(random() % 10) + 1);
            }
        }
        const ColourTable colours(HeatLayer::Kind::counts, ValueScale(ValueAxis::linear, map), {},
                                  no_count);
        Viewport view;
        view.scale = std::exp2(-4 * static_cast<double>(random() % 1000) / 1000);
        view.origin = {0.0123, 0.0123};
        const QImage image =
            heat_map_raster(MaxPyramid(map), fold, view, {90, 90}, colours, gap_colour);
        CAPTURE(seed, view.scale, length, wide);
        int wrong = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                // Whatever of each band lies under the pixel, and within one pixel of it.
                const auto within = [&](double reach) {
                    std::vector<std::int64_t> most(static_cast<std::size_t>(fold.bands()), 0);
                    const Texel first = view.texel_at({x - reach, y - reach});
                    const Texel last = view.texel_at({x + 1 + reach, y + 1 + reach});
                    for (std::int32_t py = first.y; py <= last.y; ++py) {
                        for (std::int32_t px = first.x; px <= last.x; ++px) {
                            if (const auto texel = fold.texel_at({px, py})) {
                                auto& of_band = most[static_cast<std::size_t>(
                                    (wide ? texel->x : texel->y) / length)];
                                of_band = std::max(of_band, map.at(*texel));
                            }
                        }
                    }
                    return most;
                };
                const auto near = within(1.0);
                const auto under = within(-1e-9);
                const QRgb pixel = image.pixel(x, y);
                bool right =
                    pixel == gap_colour && *std::max_element(under.begin(), under.end()) == 0;
                for (std::size_t band = 0; band < near.size(); ++band) {
                    for (std::int64_t value = std::max<std::int64_t>(1, under[band]);
                         value <= near[band]; ++value) {
                        right = right || pixel == colours.colour(value);
                    }
                }
                wrong += !right;
            }
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("narrow images are folded so that texels become larger, in whole blocks; others are not")
{
    const QSizeF view(640, 440);
    const auto scale_in_view = [&](const Fold& fold) {
        return fitted(fold.plane(), view, 0).scale;
    };
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        std::mt19937_64 random(seed);
        const std::int32_t narrow = one_to(random, 40);
        const std::int32_t size = narrow * (1 + one_to(random, 60));
        const bool wide = random() % 2 == 0;
        const Extent2D image = wide ? Extent2D{size, narrow} : Extent2D{narrow, size};
        const std::int32_t block = std::int32_t{1} << random() % 4;
        const Fold fold = best_fold(image, view, {block, block});
        CAPTURE(seed, image.width, image.height, block);
        CHECK(fold.image() == image);
        if (fold.folded()) {
            CHECK(fold.axis() == (wide ? Fold::Axis::x : Fold::Axis::y));
            CHECK((fold.length() % block == 0 || fold.length() < block));
            CHECK(scale_in_view(fold) > 1.5 * scale_in_view(Fold(image)));
        }
    }
    CHECK(best_fold({16, 812}, view, {4, 4}).folded());
    CHECK(best_fold({812, 16}, view, {4, 4}).folded());
    CHECK(best_fold({16, 100'000}, view, {4, 4}).folded());
    CHECK_FALSE(best_fold({256, 256}, view, {4, 4}).folded());
    CHECK_FALSE(best_fold({64, 128}, view, {4, 4}).folded());
    CHECK_FALSE(best_fold({1, 1}, view, {4, 4}).folded());
    CHECK_FALSE(best_fold({1, 8}, view, {4, 4}).folded()); // large enough as it is
}

TEST_CASE("a stack of tiles lies in as many columns as show it largest")
{
    const Fold square = tiled_fold({28, 28 * 64}, 28, {600, 600});
    CHECK(square.bands() == 64);
    const Extent2D plane = square.plane();
    CHECK(std::abs(plane.width - plane.height) <= 28 + square.gap());
    const Fold wide = tiled_fold({28, 28 * 4}, 28, {1000, 100});
    CHECK(wide.plane().height == 28);
    CHECK_FALSE(tiled_fold({28, 28}, 28, {600, 600}).folded());
    // labelled gaps alone would fill the view
    const Fold many = tiled_fold({3, 3 * 4096}, 3, {600, 600});
    CHECK(many.gap() == 1);
}

TEST_CASE(
    "of a folded image the texel under the mouse is read out, gone to and drawn where it lies")
{
    const auto study = test::small_study();
    auto narrow = std::make_shared<LaunchResult>(*study);
    std::mt19937_64 random(7);
    for (StudyImage& image : narrow->images) {
        image.image.extent = {8, 400};
        for (HeatMap& map : image.heat) {
            map = HeatMap{image.image.extent, {}};
            for (int i = 0; i < 8 * 400; ++i) {
                map.counts.push_back(static_cast<std::int64_t>(random() % 100));
            }
        }
    }
    HeatMapPanel panel;
    panel.resize(900, 700);
    panel.show();
    panel.show_study(narrow);
    HeatMapView& view = panel.view();
    auto& toggle = test::find<QCheckBox>(panel, "fold");
    REQUIRE(toggle.isEnabled());
    REQUIRE(view.fold().folded());
    const Fold fold = view.fold();
    const HeatMap& reads = narrow->images[0].map(HeatQuantity::reads);
    for (int i = 0; i < 200; ++i) {
        const Texel texel{static_cast<std::int32_t>(random() % 8),
                          static_cast<std::int32_t>(random() % 400)};
        const Texel at = fold.place(texel);
        const auto readout = view.readout_at(view.viewport().to_widget({at.x + 0.5, at.y + 0.5}));
        REQUIRE(readout);
        CHECK(readout->texel == texel);
        CHECK(readout->reads == reads.at(texel));
    }
    const Texel gap{8, 5};
    REQUIRE_FALSE(fold.texel_at(gap));
    CHECK_FALSE(view.readout_at(view.viewport().to_widget({gap.x + 0.5, gap.y + 0.5})));

    const Texel far{3, 399};
    view.go_to(far);
    const auto readout = view.readout_at(QRectF(view.rect()).center());
    REQUIRE(readout);
    CHECK(readout->texel == far);
    CHECK_FALSE(view.grab().isNull());
    const std::string folded_png = panel.picture();
    toggle.setChecked(false);
    CHECK_FALSE(view.fold().folded());
    CHECK(view.fold().plane() == Extent2D{8, 400});
    CHECK(panel.picture() != folded_png);
    toggle.setChecked(true);
    CHECK(view.fold() == fold);
    panel.show_study(study); // 4 by 16 texels
    CHECK_FALSE(view.fold().folded());
    CHECK_FALSE(toggle.isEnabled());
}
