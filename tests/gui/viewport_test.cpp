#include "gui/heat_map/viewport.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace texelscope::gui;

namespace {

double uniform(std::mt19937_64& random, double low, double high)
{
    return low + (high - low) * static_cast<double>(random() >> 11) / 9007199254740992.0; // 2^53
}

QPointF uniform_point(std::mt19937_64& random, double low, double high)
{
    const double x = uniform(random, low, high);
    return {x, uniform(random, low, high)};
}

double distance(QPointF a, QPointF b)
{
    return std::hypot(a.x() - b.x(), a.y() - b.y());
}

} // namespace

TEST_CASE("widget and texel coordinates are inverse to each other")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        std::mt19937_64 random(seed);
        const Viewport view{uniform(random, 0.01, 100), uniform_point(random, -500, 500)};
        const QPointF at = uniform_point(random, -100, 2000);
        CAPTURE(seed);
        CHECK(distance(view.to_widget(view.to_texels(at)), at) < 1e-6);
        // The middle of a texel is drawn where that texel is found again.
        const Texel texel{static_cast<std::int32_t>(random() % 4000),
                          static_cast<std::int32_t>(random() % 4000)};
        CHECK(view.texel_at(view.to_widget({texel.x + 0.5, texel.y + 0.5})) == texel);
    }
}

TEST_CASE("zooming leaves what is under the cursor where it is")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        std::mt19937_64 random(seed);
        Viewport view{uniform(random, 0.1, 20), uniform_point(random, -50, 50)};
        const QPointF cursor = uniform_point(random, 0, 1000);
        const QPointF under = view.to_texels(cursor);
        CAPTURE(seed);
        for (int step = 0; step < 20; ++step) {
            view = view.zoomed(uniform(random, 0.5, 2), cursor, 0.05);
            CHECK(distance(view.to_texels(cursor), under) <
                  1e-6 * (1 + std::abs(under.x()) + std::abs(under.y())));
            CHECK(view.scale >= 0.05);
            CHECK(view.scale <= Viewport::largest_scale);
        }
    }
}

TEST_CASE("a fitted image is whole, in the middle, and as large as can be")
{
    for (const Extent2D image :
         {Extent2D{16, 64}, Extent2D{1, 1}, Extent2D{4096, 3}, Extent2D{640, 480}}) {
        const QSizeF widget(640, 480);
        constexpr double margin = 10;
        const Viewport view = fitted(image, widget, margin);
        const QPointF top_left = view.to_widget({0, 0});
        const QPointF bottom_right =
            view.to_widget({static_cast<double>(image.width), static_cast<double>(image.height)});
        CAPTURE(image.width, image.height);
        CHECK(top_left.x() + bottom_right.x() == Approx(widget.width()));
        CHECK(top_left.y() + bottom_right.y() == Approx(widget.height()));
        CHECK(top_left.x() >= margin - 1e-6);
        CHECK(top_left.y() >= margin - 1e-6);
        const bool touches = top_left.x() < margin + 1e-6 || top_left.y() < margin + 1e-6;
        CHECK((touches || view.scale == Viewport::largest_scale));
    }
}

TEST_CASE("however far it is moved, some of the image stays inside")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        std::mt19937_64 random(seed);
        const Extent2D image{static_cast<std::int32_t>(1 + random() % 500),
                             static_cast<std::int32_t>(1 + random() % 500)};
        const QSizeF widget(300, 200);
        constexpr double margin = 24;
        const Viewport start{uniform(random, 0.1, 50), {0, 0}};
        const Viewport view =
            start.moved(uniform_point(random, -1e5, 1e5)).kept_inside(image, widget, margin);
        const QPointF top_left = view.to_widget({0, 0});
        const QPointF bottom_right =
            view.to_widget({static_cast<double>(image.width), static_cast<double>(image.height)});
        CAPTURE(seed, view.scale);
        CHECK(bottom_right.x() >= std::min(margin, image.width * view.scale) - 1e-6);
        CHECK(top_left.x() <= widget.width() - std::min(margin, image.width * view.scale) + 1e-6);
        CHECK(bottom_right.y() >= std::min(margin, image.height * view.scale) - 1e-6);
        CHECK(top_left.y() <= widget.height() - std::min(margin, image.height * view.scale) + 1e-6);
        // What needs no correction gets none.
        const Viewport again = view.kept_inside(image, widget, margin);
        CHECK(distance(again.origin, view.origin) < 1e-9 * (1 + distance(view.origin, {})));
    }
}
