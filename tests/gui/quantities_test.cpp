#include "base/error.hpp"
#include "gui/choice/choice_model.hpp"
#include "gui/cross_check/crosscheck_model.hpp"
#include "gui/heat_map/heat_layer.hpp"
#include "gui/network/network_model.hpp"
#include "gui/ranking/ranking_model.hpp"
#include "gui/shell/main_window.hpp"
#include "gui/study/quantities.hpp"
#include "gui/study/results_panel.hpp"
#include "tests/gui/small_study.hpp"

#include <catch2/catch.hpp>

#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QTest>
#include <QTextBrowser>
#include <set>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

/// What the window has a text for, as keys; of figures, maps, columns and docks all that there are.
std::set<QString> keys_of_window()
{
    std::set<QString> keys{"dock: heat_map"};
    const MainWindow window(test::small_form(), false);
    for (const QDockWidget* dock : window.findChildren<QDockWidget*>()) {
        keys.insert("dock: " + dock->objectName());
    }
    for (const HeatChoice choice : all_heat_choices) {
        keys.insert("heat: " + to_text(choice));
    }
    for (const KeyFigures& group : key_figures(*test::small_study())) {
        for (const KeyFigure& figure : group.figures) {
            keys.insert(quantity_key(figure));
        }
    }
    const RankingModel ranking; // without rows: without a column for each input
    for (int column = 0; column < ranking.columnCount(); ++column) {
        keys.insert("column: " +
                    ranking.headerData(column, Qt::Horizontal).toString().section('\n', 0, 0));
    }
    const CrosscheckModel crosscheck;
    for (int column = 0; column < crosscheck.columnCount(); ++column) {
        keys.insert("column: " +
                    crosscheck.headerData(column, Qt::Horizontal).toString().section('\n', 0, 0));
    }
    const NetworkModel network;
    for (int column = 0; column < network.columnCount(); ++column) {
        keys.insert("column: " + network.headerData(column, Qt::Horizontal).toString());
    }
    const ChoiceModel choice;
    for (int column = 0; column < choice.columnCount(); ++column) {
        keys.insert("column: " + choice.headerData(column, Qt::Horizontal).toString());
    }
    return keys;
}

} // namespace

TEST_CASE("every dock, map, figure and column of the window has a text")
{
    for (const QString& key : keys_of_window()) {
        CAPTURE(key.toStdString());
        CHECK(quantity_with(key) >= 0);
        CHECK(quantity_tip(key).size() > 20);
    }
}

TEST_CASE("no text on a quantity is about something that the window does not have")
{
    const std::set<QString> keys = keys_of_window();
    const MainWindow window(test::small_form(), false);
    for (const QuantityText& quantity : all_quantities()) {
        for (const QString& key : quantity.keys) {
            CAPTURE(key.toStdString());
            if (key.startsWith("plot: ")) {
                CHECK(window.findChild<QWidget*>(key.mid(6)) != nullptr);
            } else if (!key.startsWith("term: ")) { // which are explained in passing
                CHECK(keys.contains(key));
            }
        }
        CAPTURE(quantity.title.toStdString());
        CHECK(quantity.markdown.contains("*Source: "));
    }
}

TEST_CASE("texts on quantities are read from Markdown")
{
    const auto read = parse_quantities(
        "# Title\n\nIntroduction.\n\n## Part\n\n<!-- dock: a; figure: B -->\n\nFirst *one*.\n"
        "Of two lines.\n\nSecond.\n\n### Detail\n<!-- term: c -->\nText.\n");
    REQUIRE(read.size() == 2);
    CHECK(read[0].title == "Part");
    CHECK(read[0].section == "Part");
    CHECK(read[0].keys == QStringList{"dock: a", "figure: B"});
    CHECK(read[0].summary == "First one. Of two lines.");
    CHECK(read[0].markdown == "First *one*.\nOf two lines.\n\nSecond.");
    CHECK(read[1].title == "Detail");
    CHECK(read[1].section == "Part");
    CHECK_THROWS_AS(parse_quantities("## No keys\n\nText.\n"), Error);
    CHECK_THROWS_AS(parse_quantities("## No text\n<!-- term: a -->\n"), Error);
    CHECK_THROWS_AS(
        parse_quantities("## A\n<!-- term: a -->\nText.\n## B\n<!-- term: a -->\nText.\n"), Error);
}

TEST_CASE("a tool tip is the entry of a list, where that has the name")
{
    CHECK(quantity_tip("figure: arithmetic") ==
          "arithmetic holds the issue port, or a warp computes and none is ready.");
    CHECK(quantity_tip("figure: Cycles").startsWith("What the timed simulation takes"));
    CHECK(quantity_tip("figure: nothing like it").isEmpty());
}

TEST_CASE("the quantities can be searched")
{
    QuantitiesWindow window;
    window.show();
    auto& list = *window.findChild<QListWidget*>("quantities_list");
    auto& search = *window.findChild<QLineEdit*>("quantities_search");
    auto& text = *window.findChild<QTextBrowser*>("quantities_text");
    CHECK(list.count() == static_cast<int>(all_quantities().size()));

    QTest::keyClicks(&search, "kendall CONCORDANT");
    int shown = 0;
    for (int row = 0; row < list.count(); ++row) {
        shown += list.item(row)->isHidden() ? 0 : 1;
    }
    CHECK(shown == 1);
    CHECK(text.toPlainText().contains("Knight"));
    search.setText("no such words at all");
    CHECK(text.toPlainText().contains("Try fewer"));
    search.clear();
    list.setCurrentRow(0);
    QTest::keyClick(&search, Qt::Key_Down);
    CHECK(list.currentRow() == 1);

    window.show_key("dock: roofline_dock");
    CHECK(text.toPlainText().startsWith("Roofline"));
}

TEST_CASE("F1 shows the text of the dock that has the keyboard")
{
    MainWindow window(test::small_form(), false);
    window.show();
    window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    QTest::keyClick(&window, Qt::Key_F1);
    auto* help = window.findChild<QuantitiesWindow*>();
    REQUIRE(help != nullptr);
    CHECK(help->isVisible());
    CHECK(help->findChild<QTextBrowser*>()->toPlainText().startsWith("Study"));
    window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_0, Qt::ControlModifier);
    QTest::keyClick(&window, Qt::Key_F1);
    CHECK(help->findChild<QTextBrowser*>()->toPlainText().startsWith("Heat map"));
}
