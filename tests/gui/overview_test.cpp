#include "gui/heat_map/heat_map_view.hpp"
#include "gui/heat_map/overview.hpp"
#include "tests/gui/small_study.hpp"

#include <catch2/catch.hpp>

#include <QTest>
#include <cmath>
#include <random>

using namespace texelscope;
using namespace texelscope::gui;

TEST_CASE("the overview has the plane's shape, lies in the view, and shows which part is seen")
{
    int seen = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        std::mt19937_64 random(seed);
        const auto below = [&](std::uint64_t most) {
            return static_cast<std::int32_t>(1 + random() % most);
        };
        const Extent2D plane{below(500), below(500)};
        const QSizeF widget(200 + below(800), 160 + below(600));
        const Viewport view{
            std::exp2(static_cast<double>(random() % 80) / 10 - 3),
            {static_cast<double>(random() % 600) - 50, static_cast<double>(random() % 600) - 50}};
        const auto overview = overview_of(plane, view, widget);
        const QRectF part(view.to_texels({0, 0}),
                          view.to_texels({widget.width(), widget.height()}));
        const bool all = part.contains(QRectF(0, 0, plane.width, plane.height));
        CAPTURE(seed);
        REQUIRE(overview.has_value() != all);
        if (!overview) {
            continue;
        }
        ++seen;
        const QRectF frame = overview->frame;
        CHECK(QRectF({0, 0}, widget).contains(frame));
        CHECK(frame.width() * plane.height == Approx(frame.height() * plane.width));
        // a place is in the rectangle exactly where the view shows it
        for (int i = 0; i < 10; ++i) {
            const QPointF place(plane.width * static_cast<double>(random() % 1000) / 1000 + 1e-4,
                                plane.height * static_cast<double>(random() % 1000) / 1000 + 1e-4);
            const QPointF small = frame.topLeft() + overview->view.to_widget(place);
            CHECK(overview->visible.contains(small) == part.contains(place));
            CHECK(overview->plane_at(small).x() == Approx(place.x()));
            CHECK(overview->plane_at(small).y() == Approx(place.y()));
            CHECK(overview->contains(small));
        }
        CHECK(overview->plane_at({-1000, 1e5}).x() == Approx(0).margin(1e-9)); // the nearest inside
    }
    CHECK(seen > 100);
}

TEST_CASE("a click in the overview, and a drag from there, moves the view; it can be switched off")
{
    HeatMapView view;
    view.resize(640, 480);
    view.show();
    view.show_picture(
        std::make_shared<const HeatPicture>(heat_picture({test::small_study(), {}, 0, {}, {}, {}})),
        ValueAxis::linear);
    CHECK_FALSE(view.overview()); // all is seen
    view.go_to({3, 2});
    for (int i = 0; i < 4; ++i) {
        QTest::keyClick(&view, Qt::Key_Plus);
    }
    const Viewport before = view.viewport();
    const auto overview = view.overview();
    REQUIRE(overview);
    const auto middle_is_near = [&](QPointF place) {
        const QPointF middle = view.viewport().to_texels(QRectF(view.rect()).center());
        CHECK(std::abs(middle.x() - place.x()) < 0.2);
        CHECK(std::abs(middle.y() - place.y()) < 0.2);
    };
    const QPoint first = (overview->frame.topLeft() + overview->view.to_widget({1, 12})).toPoint();
    const QPoint second =
        (overview->frame.topLeft() + overview->view.to_widget({2.5, 5})).toPoint();
    QTest::mousePress(&view, Qt::LeftButton, {}, first);
    middle_is_near({1, 12});
    QTest::mouseMove(&view, second);
    middle_is_near({2.5, 5});
    QTest::mouseRelease(&view, Qt::LeftButton, {}, second);
    CHECK_FALSE(view.grab().isNull());
    view.undo_view(); // one gesture
    CHECK(view.viewport().origin == before.origin);
    HeatMapView::Overlays overlays;
    overlays.overview = false;
    view.show_overlays(overlays);
    CHECK_FALSE(view.overview());
    QTest::mouseClick(&view, Qt::LeftButton, {}, first);
    CHECK(view.viewport().origin == before.origin);
}
