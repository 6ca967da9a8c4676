#include "base/error.hpp"
#include "gui/plots/drawing_painter.hpp"
#include "gui/plots/plot_export.hpp"
#include "gui/plots/plot_view.hpp"
#include "gui/plots/scatter_plot.hpp"
#include "gui/plots/shown_plot.hpp"

#include <catch2/catch.hpp>

#include <QAction>
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

using namespace texelscope::gui;

namespace {

/// A blue line through (0, 0), (5, 50) and (10, 100), and a vermillion point without a line at (5,
/// 100).
PanelPlot known_plot()
{
    PanelPlot plot;
    plot.title = "known";
    plot.x_label = "x";
    plot.left_label = "y";
    plot.x_high = 10;
    plot.x_ticks = {0, 5, 10};
    PanelPlot::Curve line{
        "line", 1, PanelPlot::Axis::left, {{0, 0, "start"}, {5, 50, "middle"}, {10, 100, "end"}}};
    PanelPlot::Curve disc{"disc", 5, PanelPlot::Axis::left, {{5, 100, "alone, high"}}, true, false};
    plot.panels = {{"", {}, {line, disc}, {}}};
    return plot;
}

/// Where the known plot's line would be at a share of the way along x and along y.
QPointF place_of(const PlotCanvas& canvas, double x_share, double y_share)
{
    const auto at = [&](const std::string& about) {
        const auto found =
            std::find_if(canvas.points().begin(), canvas.points().end(),
                         [&](const PlacedPoint& point) { return point.about == about; });
        REQUIRE(found != canvas.points().end());
        return canvas.to_widget(found->at);
    };
    const QPointF low = at("start");
    const QPointF high = at("end");
    return {low.x() + x_share * (high.x() - low.x()), low.y() + y_share * (high.y() - low.y())};
}

void turn_wheel(PlotCanvas& canvas, QPointF at, int notches)
{
    QWheelEvent event(at, canvas.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&canvas, &event);
}

} // namespace

TEST_CASE("a curve's pixels are where its values say, at any size and pixel ratio")
{
    PlotCanvas canvas;
    canvas.show_plot(known_plot());
    canvas.show();
    for (const QSize size : {QSize(640, 360), QSize(900, 300), QSize(300, 500)}) {
        canvas.resize(size);
        for (const double ratio : {1.0, 2.0}) {
            QImage image(size * ratio, QImage::Format_RGB32);
            image.setDevicePixelRatio(ratio);
            canvas.render(&image);
            /// Whether a pixel, or one beside it, has nearly that colour: lines are smoothed.
            const auto has_colour = [&](double x_share, double y_share, QColor colour) {
                const QPoint at = (place_of(canvas, x_share, y_share) * ratio).toPoint();
                for (const QPoint aside :
                     {QPoint(0, 0), QPoint(-1, 0), QPoint(0, -1), QPoint(-1, -1)}) {
                    const QColor found(image.pixel(at + aside));
                    if (std::abs(found.red() - colour.red()) +
                            std::abs(found.green() - colour.green()) +
                            std::abs(found.blue() - colour.blue()) <
                        120) {
                        return true;
                    }
                }
                return false;
            };
            for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
                CAPTURE(size.width(), ratio, share);
                CHECK(has_colour(share, share, QColor(0x00, 0x72, 0xb2)));
            }
            CHECK(has_colour(0.5, 1.0, QColor(0xd5, 0x5e, 0x00)));
            CHECK_FALSE(has_colour(0.62, 0.31, QColor(0x00, 0x72, 0xb2)));
        }
    }
}

TEST_CASE("a tool tip says what the nearest point is about")
{
    PlotCanvas canvas;
    CHECK(canvas.tip_at({50, 50}).isEmpty());
    canvas.resize(640, 360);
    canvas.show();
    canvas.show_plot(known_plot());
    CHECK(canvas.tip_at(place_of(canvas, 0.5, 0.5) + QPointF(3, -4)) == "middle");
    CHECK(canvas.tip_at(place_of(canvas, 0.5, 1)) == "alone, high");
    CHECK(canvas.tip_at(place_of(canvas, 0.7, 0.1)).isEmpty());

    PanelPlot bars = known_plot();
    bars.panels = {{"", {{"bars", 2, {{5, 100, "a bar"}}}}, {}, {}}};
    canvas.show_plot(bars);
    int inside = 0;
    for (int x = 0; x < canvas.width(); ++x) {
        inside += canvas.tip_at(QPointF(x, canvas.height() / 2.0)) == "a bar" ? 1 : 0;
    }
    // 0.8 of 10 along x
    CHECK(inside == Approx(0.08 * canvas.width()).margin(0.02 * canvas.width()));
}

TEST_CASE("a click chooses a point")
{
    PlotCanvas canvas;
    canvas.resize(640, 360);
    canvas.show();
    canvas.show_plot(known_plot());
    std::vector<PlacedPoint> clicked;
    QObject::connect(&canvas, &PlotCanvas::point_clicked, &canvas,
                     [&](const PlacedPoint& point) { clicked.push_back(point); });
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, place_of(canvas, 0.5, 1).toPoint());
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, place_of(canvas, 0.7, 0.1).toPoint());
    REQUIRE(clicked.size() == 1);
    CHECK(clicked[0].curve == "disc");
    CHECK(clicked[0].number == 0);
}

TEST_CASE("the wheel zooms at the mouse, a drag moves, a double click shows all")
{
    PlotCanvas canvas;
    canvas.resize(640, 360);
    canvas.show();
    canvas.show_plot(known_plot());
    const QPointF at = place_of(canvas, 0.25, 0.5);
    turn_wheel(canvas, at, 4);
    REQUIRE(canvas.range());
    const double length = 10 / std::pow(1.25, 4);
    CHECK(canvas.range()->high - canvas.range()->low == Approx(length));
    CHECK(canvas.range()->low + length / 4 == Approx(2.5).margin(0.02));

    const double before = canvas.range()->low;
    QTest::mousePress(&canvas, Qt::LeftButton, {}, at.toPoint());
    QTest::mouseMove(&canvas, (at + QPointF(-60, 0)).toPoint());
    QTest::mouseRelease(&canvas, Qt::LeftButton, {}, (at + QPointF(-60, 0)).toPoint());
    CHECK(canvas.range()->low > before);
    CHECK(canvas.range()->high - canvas.range()->low == Approx(length));

    QTest::mouseDClick(&canvas, Qt::LeftButton, {}, at.toPoint());
    CHECK_FALSE(canvas.range());
    turn_wheel(canvas, at, -3);
    CHECK_FALSE(canvas.range());
}

TEST_CASE("a part of a plot has lines cut at its ends, on linear and logarithmic axes")
{
    const PanelPlot part = part_of(known_plot(), {2, 6});
    const auto& line = part.panels[0].curves[0].points;
    REQUIRE(line.size() == 3);
    CHECK(line[0].x == 2);
    CHECK(line[0].y == Approx(20));
    CHECK(line[1].about == "middle");
    CHECK(line[2].y == Approx(60));
    CHECK(part.x_ticks.size() >= 3);
    CHECK(part.panels[0].curves[1].points[0].y == 100);
    CHECK(std::isnan(part_of(known_plot(), {6, 8}).panels[0].curves[1].points[0].y));

    PanelPlot log = known_plot();
    log.x_log = log.left_log = true;
    log.x_low = 1;
    log.x_high = 100;
    log.panels = {
        {"", {}, {{"power", 1, PanelPlot::Axis::left, {{1, 1, {}}, {100, 10000, {}}}}}, {}}};
    const PanelPlot middle = part_of(log, {10, 20});
    CHECK(middle.panels[0].curves[0].points[0].y == Approx(100));
    CHECK(middle.panels[0].curves[0].points[1].y == Approx(400));
    const PlotRange range = zoomed(log, {1, 100}, 2, 0.5);
    CHECK(range.low == Approx(std::sqrt(10)));
    CHECK(range.high == Approx(10 * std::sqrt(10)));
    CHECK(moved(log, range, -5).low == 1);
}

TEST_CASE("drawings are readable on dark grounds too")
{
    QPalette dark;
    dark.setColor(QPalette::Window, QColor(30, 30, 30));
    dark.setColor(QPalette::Base, QColor(20, 20, 20));
    dark.setColor(QPalette::WindowText, Qt::white);
    dark.setColor(QPalette::Text, Qt::white);
    CHECK(shown_colour({0x22, 0x22, 0x22}, dark).lightness() > 200);
    CHECK(shown_colour({0xe4, 0xe4, 0xe4}, dark).lightness() < 60);
    CHECK(shown_colour({0x00, 0x72, 0xb2}, dark).lightness() >
          QColor(0x00, 0x72, 0xb2).lightness());
    CHECK(shown_colour({0x00, 0x72, 0xb2}, QPalette(Qt::lightGray)) == QColor(0x00, 0x72, 0xb2));
}

TEST_CASE("a plot is exported as picture, drawing and table, and copied")
{
    PlotView view("A plot");
    const QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.filePath(name).toStdString(); };
    const auto bytes = [&](const char* name) {
        QFile file(folder.filePath(name));
        REQUIRE(file.open(QIODevice::ReadOnly));
        return file.readAll().toStdString();
    };
    CHECK_THROWS_AS(view.export_to(path("a.png")), Error);
    view.show_plot(known_plot());
    view.export_to(path("a.png"));
    const Drawing drawing = draw(known_plot());
    const QImage image(folder.filePath("a.png"));
    CHECK(image.size() == QSize(static_cast<int>(std::ceil(2 * drawing.width)),
                                static_cast<int>(std::ceil(2 * drawing.height))));
    for (const PlacedPoint& point : placed(known_plot()).points) {
        const QColor colour =
            point.curve == "disc" ? QColor(0xd5, 0x5e, 0x00) : QColor(0x00, 0x72, 0xb2);
        CHECK(QColor(image.pixel((2 * QPointF(point.at.x, point.at.y)).toPoint())) == colour);
    }
    view.export_to(path("a.svg"));
    CHECK(bytes("a.svg") == to_svg(drawing, "known"));
    view.export_to(path("a.csv"));
    CHECK(bytes("a.csv") ==
          "panel,series,x,y,about\n,line,0,0,start\n,line,5,50,middle\n,line,10,100,end\n"
          ",disc,5,100,\"alone, high\"\n");
    CHECK_THROWS_WITH(view.export_to(path("a.pdf")), Catch::Contains(".png, .svg or .csv"));

    view.copy();
    CHECK(QGuiApplication::clipboard()->image().size() == image.size());
    for (const QToolButton* button : view.findChildren<QToolButton*>()) {
        CHECK(button->accessibleName().endsWith("A plot"));
    }
    view.show_hint("Nothing here");
    CHECK_FALSE(view.canvas().plot());
    CHECK_FALSE(view.grab().isNull());
}

TEST_CASE("scatter plots and strips of samples export what they show")
{
    ScatterPlot scatter;
    CHECK_FALSE(scatter.panel_plot());
    ScatterData data;
    data.categories = {"row", "column"};
    data.x_title = "device";
    data.y_title = "model";
    data.x_text = data.y_text = [](double ns) { return QStringLiteral("%1 ns").arg(ns); };
    data.points = {{100, 200, 0, "first", 0}, {3000, 400, 1, "second", 1}, {50, 60, 0, "third", 2}};
    scatter.show_data(data);
    const auto plot = scatter.panel_plot();
    REQUIRE(plot);
    REQUIRE(plot->panels.size() == 1);
    const auto& curves = plot->panels[0].curves;
    REQUIRE(curves.size() == 3); // the diagonal, and one of each category
    CHECK(curves[0].points.front().x == curves[0].points.front().y);
    CHECK(curves[1].name == "row");
    CHECK(curves[1].points.size() == 2);
    CHECK(curves[2].points.at(0).about == "second");
    CHECK(plot->left_label == "model");
    CHECK(plot->left_text(200) == "200 ns");
    CHECK(plot->x_low < 50);
    CHECK(plot->x_high > 3000);
    CHECK(plot_csv(*plot).find("column,3000,400,second") != std::string::npos);
    CHECK_FALSE(draw(*plot).shapes.empty());
    REQUIRE(scatter.actions().size() == 2);
    scatter.actions().front()->trigger();
    CHECK_FALSE(QGuiApplication::clipboard()->image().isNull());

    const PanelPlot samples = samples_plot({1200, 1100, 1150}, 1150);
    CHECK(samples.panels[0].curves[0].points.at(1).x == 1100);
    CHECK(samples.panels[0].rules == std::vector{1150.0});
    CHECK_FALSE(draw(samples).shapes.empty());
}
