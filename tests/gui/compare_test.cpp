// A and B: figures beside each other, and the window that keeps one and compares the next.

#include "gui/heat_map/colour_bar.hpp"
#include "gui/heat_map/heat_map_panel.hpp"
#include "gui/plots/histogram_panel.hpp"
#include "gui/study/results_panel.hpp"
#include "gui/widgets/controls.hpp"
#include "tests/gui/window_fixture.hpp"

#include <catch2/catch.hpp>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

using namespace texelscope;
using namespace texelscope::gui;

TEST_CASE("figures of two launches are joined by name, with what changed")
{
    const std::vector<KeyFigures> a{{"Cache", {{"Hits", "50", 50.0}, {"Own", "x"}}}};
    const std::vector<KeyFigures> b{{"Cache", {{"Hits", "40", 40.0}, {"Other", "y"}}},
                                    {"More", {{"Z", "1", 1.0}}}};
    const auto joined = compared_figures(a, b);
    REQUIRE(joined.size() == 2);
    REQUIRE(joined[0].figures.size() == 3);
    CHECK(joined[0].figures[0].a == "50");
    CHECK(joined[0].figures[0].b == "40");
    CHECK(joined[0].figures[0].change == "+25 %");
    CHECK(joined[0].figures[1].b.isEmpty());
    CHECK(joined[0].figures[2].name == "Other");
    CHECK(joined[0].figures[2].a.isEmpty());
    CHECK(joined[1].title == "More");
    CHECK(change_text(5, 5) == "same");
    CHECK(change_text(97, 100) == "−3.0 %");
    CHECK(change_text(250, 100) == "× 2.5");
    CHECK(change_text(3, 0).isEmpty());
}

namespace {

struct CompareFixture : test::StudyWindowFixture {
    void run_other(const char* config)
    {
        auto& field = find<QLineEdit>("config");
        field.setText(config);
        run();
    }
};

} // namespace

TEST_CASE("what is kept is compared with what is run next, in every view")
{
    CompareFixture f;
    f.window.session().keep();
    const auto b = f.window.session().study();
    const QString config = f.find<QLineEdit>("config").text();
    f.run_other("A=row,column;T=4x4;G=4x1");
    const auto a = f.window.session().study();
    REQUIRE(to_string(a->request.schedule) != to_string(b->request.schedule));

    auto& label = f.find<QLabel>("compare_label");
    CHECK(label.text().contains("A: " + QString::fromStdString(to_string(a->request.schedule))));
    CHECK(label.text().contains("B: " + QString::fromStdString(to_string(b->request.schedule))));
    auto& results = f.find<QTreeWidget>("results");
    CHECK(results.columnCount() == 4);
    auto& view = f.find<HeatMapView>("heat_map_view");
    auto& quantity = f.find<QComboBox>("quantity");
    const int misses = static_cast<int>(HeatChoice::misses);
    quantity.setCurrentIndex(misses);

    SECTION("A, B and the difference of their misses are drawn")
    {
        f.find<QToolButton>("compare_b").click();
        CHECK(view.max() == b->images[0].map(HeatQuantity::misses).max());
        f.find<QToolButton>("compare_difference").click();
        const HeatMap& of_a = a->images[0].map(HeatQuantity::misses);
        const HeatMap& of_b = b->images[0].map(HeatQuantity::misses);
        REQUIRE(of_a.extent == of_b.extent);
        for (std::int32_t y = 0; y < of_a.extent.height; ++y) {
            for (std::int32_t x = 0; x < of_a.extent.width; ++x) {
                const std::int64_t difference = of_a.at({x, y}) - of_b.at({x, y});
                CHECK(view.value_text({x, y}) == QStringLiteral("misses, A − B: %1%2")
                                                     .arg(difference > 0 ? "+" : "")
                                                     .arg(difference));
            }
        }
        CHECK_FALSE(view.grab().isNull());
        f.find<QToolButton>("compare_a").click();
        CHECK(view.max() == of_a.max());
    }
    SECTION("quantities without a difference show A, and say so")
    {
        f.find<QToolButton>("compare_difference").click();
        quantity.setCurrentIndex(static_cast<int>(HeatChoice::last_warp));
        REQUIRE(test::wait_until([&] {
            return view.value_text({0, 0}).startsWith("last read by");
        }));
        CHECK(f.find<QLabel>("heat_note").text().contains("A − B"));
    }
    SECTION("swapping and forgetting")
    {
        const auto legend = [&] { return f.find<QLabel>("kernel_legend").text().toStdString(); };
        const std::string kernel_a = to_string(a->request.schedule);
        const std::string kernel_b = to_string(b->request.schedule);
        REQUIRE(legend().find(kernel_b) < legend().find(kernel_a)); // what is kept comes first
        REQUIRE(legend().find(kernel_a) != std::string::npos);
        f.window.session().swap();
        CHECK(legend().find(kernel_a) < legend().find(kernel_b));
        CHECK(legend().find(kernel_b) != std::string::npos);
        CHECK(f.window.session().study() == b);
        CHECK(f.find<QLineEdit>("config").text() == config);
        CHECK(
            label.text().contains("A: " + QString::fromStdString(to_string(b->request.schedule))));
        f.window.session().forget();
        CHECK(results.columnCount() == 2);
        CHECK_FALSE(f.find<QWidget>("compare_strip").isVisible());
    }
    SECTION("each input's thread time is compared with its own")
    {
        int compared = 0;
        for (std::size_t i = 0; i < b->prediction.kernel.inputs.size(); ++i) {
            const QString name = QStringLiteral("thread, L_t of ") +
                                 QString::fromStdString(b->prediction.kernel.inputs[i].image);
            for (const QTreeWidgetItem* item :
                 results.findItems(name, Qt::MatchContains | Qt::MatchRecursive)) {
                CHECK(item->text(1) == texelscope::gui::time_text(a->prediction.literal.thread[i]));
                CHECK(item->text(2) == texelscope::gui::time_text(b->prediction.literal.thread[i]));
                ++compared;
            }
        }
        CHECK(compared == 2);
    }
    SECTION("what is written into the form while a study runs is not what the study was run from")
    {
        f.find<QLineEdit>("config").setText("A=column,row;T=4x4;G=4x2");
        const auto shown = f.shown.count();
        f.window.run();
        f.find<QLineEdit>("config").setText("nonsense");
        REQUIRE(test::wait_until([&] { return f.shown.count() > shown; }));
        f.window.session().keep();
        f.find<QLineEdit>("config").setText("A=row,row;T=4x4;G=4x1");
        f.run();
        f.window.session().swap();
        CHECK(f.find<QLineEdit>("config").text() == "A=column,row;T=4x4;G=4x2");
    }
    SECTION("images of other sizes have no difference")
    {
        f.find<QToolButton>("compare_difference").click();
        f.run_other("A=row,row;T=4x4;G=4x4");
        CHECK_FALSE(f.find<QToolButton>("compare_difference").isEnabled());
        CHECK(f.find<QToolButton>("compare_a").isChecked());
        CHECK(view.value_text({0, 0}).startsWith("misses "));
    }
}

TEST_CASE("the colour bar's handles limit the colours, by mouse and by keys")
{
    ColourBar bar;
    bar.resize(120, 400);
    bar.show();
    bar.show_scale(HeatLayer::Kind::counts,
                   ValueScale(ValueAxis::linear, HeatMap{{4, 1}, {1, 5, 10, 100}}));
    QSignalSpy changed(&bar, &ColourBar::range_changed);
    const int x = 2 * bar.fontMetrics().height() + 3;
    const auto y = [&](double position) { return static_cast<int>(bar.handle_y(position)); };
    QTest::mousePress(&bar, Qt::LeftButton, {}, {x, y(1)});
    QTest::mouseMove(&bar, {x, y(0.6)});
    QTest::mouseRelease(&bar, Qt::LeftButton, {}, {x, y(0.6)});
    CHECK(bar.range().high == Approx(0.6).margin(0.01));
    CHECK(bar.range().low == 0);
    CHECK(changed.count() > 0);
    QTest::keyClick(&bar, Qt::Key_Up, Qt::ShiftModifier);
    CHECK(bar.range().low > 0);
    QTest::mousePress(&bar, Qt::LeftButton, {}, {x, y(0)});
    QTest::mouseMove(&bar, {x, y(0.9)}); // not past the other
    QTest::mouseRelease(&bar, Qt::LeftButton, {}, {x, y(0.9)});
    CHECK(bar.range().low < bar.range().high);
    QTest::keyClick(&bar, Qt::Key_Home);
    CHECK(bar.range() == ColourRange{});
    QTest::keyClick(&bar, Qt::Key_Down);
    QTest::mouseDClick(&bar, Qt::LeftButton, {}, {x, y(0.5)});
    CHECK(bar.range() == ColourRange{});
    CHECK_FALSE(bar.grab().isNull());
}
