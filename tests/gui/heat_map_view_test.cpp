#include "gui/heat_map/heat_map_view.hpp"
#include "tests/gui/small_study.hpp"

#include <catch2/catch.hpp>

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

void wheel(HeatMapView& view, QPointF at, int notches)
{
    QWheelEvent event(at, view.mapToGlobal(at), {}, {0, notches * 120}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &event);
}

void show_small(HeatMapView& view)
{
    view.resize(640, 480);
    view.show(); // or it gets no mouse events
    view.show_picture(
        std::make_shared<const HeatPicture>(heat_picture({test::small_study(), {}, 0, {}, {}, {}})),
        ValueAxis::linear);
}

} // namespace

TEST_CASE("the wheel zooms at the cursor")
{
    HeatMapView view;
    show_small(view);
    const Extent2D extent = test::small_study()->images[0].image.extent;
    for (const QPointF fraction : {QPointF(0.01, 0.01), QPointF(0.5, 0.5), QPointF(0.99, 0.3)}) {
        view.fit();
        const QPointF cursor =
            view.viewport().to_widget({fraction.x() * extent.width, fraction.y() * extent.height});
        const Texel under = view.viewport().texel_at(cursor);
        const double before = view.viewport().scale;
        for (int i = 0; i < 6; ++i) {
            wheel(view, cursor, 1);
            CHECK(view.viewport().texel_at(cursor) == under);
        }
        CHECK(view.viewport().scale > before);
        wheel(view, cursor, -2);
        CHECK(view.viewport().texel_at(cursor) == under);
    }
}

TEST_CASE("dragging moves the image with the mouse, arrow keys nudge it, Home and F fit it")
{
    HeatMapView view;
    show_small(view);
    const Viewport fit = view.viewport();
    const QPointF grabbed = fit.to_texels({300, 200});
    QTest::mousePress(&view, Qt::LeftButton, {}, {300, 200});
    QTest::mouseMove(&view, {340, 170});
    QTest::mouseRelease(&view, Qt::LeftButton, {}, {340, 170});
    CHECK(view.viewport().to_widget(grabbed).x() == Approx(340));
    CHECK(view.viewport().to_widget(grabbed).y() == Approx(170));
    QTest::keyClick(&view, Qt::Key_Home);
    CHECK(view.viewport().origin == fit.origin);
    // looks further to the right: the image moves to the left
    QTest::keyClick(&view, Qt::Key_Right);
    CHECK(view.viewport().origin.x() > fit.origin.x());
    QTest::keyClick(&view, Qt::Key_Plus);
    CHECK(view.viewport().scale > fit.scale);
    QTest::keyClick(&view, Qt::Key_F);
    CHECK(view.viewport().origin == fit.origin);
    CHECK(view.viewport().scale == fit.scale);
}

TEST_CASE("the read-out is that of the texel under the mouse")
{
    HeatMapView view;
    show_small(view);
    const StudyImage& image = test::small_study()->images[0];
    QSignalSpy hovered(&view, &HeatMapView::hovered);
    const Texel texel{image.image.extent.width - 1, image.image.extent.height / 2};
    const QPointF at = view.viewport().to_widget({texel.x + 0.5, texel.y + 0.5});
    const auto readout = view.readout_at(at);
    REQUIRE(readout);
    CHECK(readout->texel == texel);
    CHECK(readout->reads == image.map(HeatQuantity::reads).at(texel));
    QTest::mouseMove(&view, at.toPoint());
    REQUIRE(hovered.count() > 0);
    CHECK(hovered.last().at(0).toString() == one_line(*readout));

    const HeatSubject by_line{test::small_study(),        {}, 0, HeatChoice::misses,
                              HeatResolution::Kind::line, {}};
    const auto picture = std::make_shared<const HeatPicture>(heat_picture(by_line));
    view.show_picture(picture, ValueAxis::linear);
    QTest::mouseMove(&view, at.toPoint() + QPoint(1, 0));
    CHECK(hovered.last().at(0).toString() ==
          one_line(*readout) +
              QStringLiteral("   L1 line: misses %1").arg(picture->values().at(texel)));
    CHECK_FALSE(view.readout_at(view.viewport().to_widget({-0.5, 0})));
}

TEST_CASE("what is drawn is the heat map's colour, at one and at two device pixels a pixel")
{
    HeatMapView view;
    show_small(view);
    view.show_overlays({false, false, false});
    const StudyImage& image = test::small_study()->images[0];
    const HeatMap& map = image.map(HeatQuantity::reads);
    const ColourTable colours(HeatLayer::Kind::counts, ValueScale(ValueAxis::linear, map), {}, 0);
    for (const double ratio : {1.0, 2.0}) {
        QImage picture(view.size() * ratio, QImage::Format_RGB32);
        picture.setDevicePixelRatio(ratio);
        view.render(&picture);
        int checked = 0;
        for (std::int32_t y = 0; y < map.extent.height; ++y) {
            for (std::int32_t x = 0; x < map.extent.width; ++x) {
                const QPointF at = view.viewport().to_widget({x + 0.5, y + 0.5}) * ratio;
                if (map.at({x, y}) > 0) {
                    CHECK((picture.pixel(at.toPoint()) & 0xffffff) ==
                          (colours.colour(map.at({x, y})) & 0xffffff));
                    ++checked;
                }
            }
        }
        CHECK(checked > 0);
    }
}
