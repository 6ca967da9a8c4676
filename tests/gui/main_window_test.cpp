#include "gui/cross_check/crosscheck_panel.hpp"
#include "gui/heat_map/heat_map_view.hpp"
#include "gui/ranking/ranking_panel.hpp"
#include "gui/shell/docks.hpp"
#include "gui/widgets/controls.hpp"
#include "tests/gui/window_fixture.hpp"

#include <catch2/catch.hpp>

#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSpinBox>
#include <QStatusBar>
#include <QTableView>
#include <QTest>
#include <QTreeWidget>
#include <map>
#include <set>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

/// A window with the small study in it.
struct MainWindowFixture : test::StudyWindowFixture {
    [[nodiscard]] std::string config() { return find<QLineEdit>("config").text().toStdString(); }
};

} // namespace

TEST_CASE("the window runs a study and shows all of it")
{
    MainWindowFixture f;
    const auto study = f.window.session().study();
    REQUIRE(study);
    CHECK(to_string(study->request.op) == "matmul 16,16,16");
    CHECK(f.find<QComboBox>("image").count() == 2);
    auto& ranking = f.find<QTableView>("ranking_table");
    REQUIRE(test::wait_until([&] { return ranking.model()->rowCount() > 0; }));
    // of the parts that both judges price, what descent looks at
    CHECK(ranking.model()->rowCount() > 100);
    CHECK(study->ranking.best.size() > 10);
    CHECK(f.find<QPlainTextEdit>("kernel").toPlainText().contains("kernel"));
    CHECK(f.find<QTreeWidget>("results").topLevelItemCount() >= 6);

    SECTION("each quantity of each image is drawn")
    {
        auto& view = f.find<HeatMapView>("heat_map_view");
        for (int image = 0; image < 2; ++image) {
            f.find<QComboBox>("image").setCurrentIndex(image);
            for (int quantity = 0; quantity < 6; ++quantity) {
                f.find<QComboBox>("quantity").setCurrentIndex(quantity);
                CHECK(view.max() == study->images[static_cast<std::size_t>(image)]
                                        .heat[static_cast<std::size_t>(quantity)]
                                        .max());
                CHECK_FALSE(view.grab().isNull());
            }
        }
    }
    SECTION("the texel under the mouse is read out in the status bar")
    {
        auto& view = f.find<HeatMapView>("heat_map_view");
        QTest::mouseMove(&view, view.rect().center());
        CHECK(f.window.statusBar()->currentMessage().startsWith("A ("));
    }
    SECTION("a double click on a ranking row runs that configuration, and the ranking stays")
    {
        auto& table = f.find<QTableView>("ranking_table");
        const QModelIndex row = table.model()->index(1, 1);
        table.scrollTo(row);
        const QPoint at = table.visualRect(row).center();
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, at);
        QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, at);
        REQUIRE(test::wait_until([&] { return f.shown.count() == 2; }));
        const auto next = f.window.session().study();
        const std::string chosen = table.model()->index(1, 1).data().toString().toStdString();
        CHECK(f.config() == chosen);
        CHECK(to_string(next->request.schedule) == chosen);
        CHECK(next->ranking.best.size() == study->ranking.best.size());
        CHECK(table.currentIndex().row() == 1);
    }
    SECTION("F7 cross-checks, and a configuration chosen there is run")
    {
        auto& panel = f.find<CrosscheckPanel>("crosscheck_panel");
        f.find<QSpinBox>("crosscheck_samples").setValue(3);
        QSignalSpy ended(&panel, &CrosscheckPanel::ended);
        QTest::keyClick(&f.window, Qt::Key_F7);
        REQUIRE(test::wait_until([&] { return ended.count() == 1; }));
        REQUIRE(panel.result().rows.size() == 3);
        const Schedule chosen = panel.result().rows.back().schedule;
        emit f.window.session().configuration_chosen(chosen);
        REQUIRE(test::wait_until([&] { return f.shown.count() == 2; }));
        CHECK(f.window.session().study()->request.schedule == chosen);
        CHECK(panel.result().rows.size() == 3);
    }
    SECTION("another device is ranked anew")
    {
        f.find<QPlainTextEdit>("overrides").setPlainText("l1.capacity=4096");
        f.run();
        CHECK(f.window.session().study()->request.rank);
        CHECK(f.window.session().study()->simulation.l1.misses() <= study->simulation.l1.misses());
    }
    SECTION("a bad configuration leaves the last result where it is")
    {
        f.find<QLineEdit>("config").setText("A=row,row;T=4x4;W=5x5;G=8x8x1");
        f.window.run();
        CHECK(f.find<StudyPanel>("study_panel").error().contains("5x5"));
        CHECK(f.window.session().study() == study);
    }
    SECTION("a cancelled study leaves the last result where it is")
    {
        f.find<QLineEdit>("shape").setText("256,256,256");
        f.window.run();
        f.window.session().jobs().cancel_latest();
        REQUIRE(test::wait_until([&] { return f.cancelled.count() == 1; }));
        CHECK(f.window.session().study() == study);
    }
    SECTION("exports are the files of what is shown")
    {
        const QTemporaryDir folder;
        const std::string png = folder.filePath("map.png").toStdString();
        f.window.export_heat_map(png);
        CHECK_FALSE(QImage(QString::fromStdString(png)).isNull());
        const QString csv = folder.filePath("ranking.csv");
        f.find<RankingPanel>("ranking_panel").export_table(csv.toStdString(), false);
        QFile file(csv);
        REQUIRE(file.open(QIODevice::ReadOnly));
        CHECK(file.readAll().count('\n') == ranking.model()->rowCount() + 1);
        f.window.export_heat_map("/nowhere/at/all.png");
        CHECK(f.find<StudyPanel>("study_panel").error().contains("/nowhere/at/all.png"));
    }
}

TEST_CASE("before the first study there is nothing to export, and nothing breaks")
{
    MainWindow window(test::small_form(), false);
    window.show();
    const QTemporaryDir folder;
    window.export_heat_map(folder.filePath("map.png").toStdString());
    CHECK_FALSE(QFile::exists(folder.filePath("map.png")));
    CHECK(window.findChild<StudyPanel*>()->error().contains("no heat map"));
    CHECK_FALSE(window.grab().isNull());
}

TEST_CASE("before the first study every view says what to do next")
{
    MainWindow window(test::small_form(), false);
    window.show();
    std::set<QString> hinted;
    for (const EmptyHint* hint : window.findChildren<EmptyHint*>()) {
        CAPTURE(hint->text().toStdString());
        CHECK_FALSE(hint->isHidden());
        CHECK(hint->text().contains(QRegularExpression("F5|F7|run it")));
        if (!hint->visibleRegion().isEmpty()) { // what is behind other docks has no place yet
            CHECK(hint->geometry() == hint->parentWidget()->rect());
        }
        const QWidget* view = hint->parentWidget();
        hinted.insert(view->objectName().startsWith("qt_") ? view->parentWidget()->objectName()
                                                           : view->objectName());
    }
    CHECK(hinted == std::set<QString>{"heat_map_view", "results", "device_table", "kernel",
                                      "listing", "crosscheck_table", "choice_table", "choice_facts",
                                      "network_table", "network_layers"});

    QSignalSpy shown(&window.session(), &Session::shown_anew);
    window.run();
    REQUIRE(test::wait_until([&] { return shown.count() == 1; }));
    for (const EmptyHint* hint : window.findChildren<EmptyHint*>()) {
        const QString view = hint->parentWidget()->parentWidget()->objectName();
        const bool other = view.startsWith("network_"); // which no study fills
        const bool judged = view == "crosscheck_table" || view.startsWith("choice_");
        // which has not been run
        CHECK(test::wait_until([&] { return hint->isHidden() != (judged || other); }));
        CHECK((!judged || hint->text().contains("F7")));
    }
    window.findChild<QLineEdit*>("ranking_filter")->setText("nothing-is-called-so");
    const auto* ranking = window.findChild<RankingPanel*>()->findChild<NotePage*>();
    CHECK(test::wait_until([&] { return ranking->note().contains("Clear the filter"); }));
}

TEST_CASE("no two menus and controls have the same mnemonic")
{
    MainWindow window(test::small_form(), false);
    std::map<QString, QString> texts;
    const auto add = [&](const QString& text) {
        const QKeySequence key = QKeySequence::mnemonic(text);
        if (!key.isEmpty()) {
            CAPTURE(text.toStdString(), texts[key.toString()].toStdString());
            CHECK(texts[key.toString()].isEmpty());
            texts[key.toString()] = text;
        }
    };
    for (const QAction* menu : window.menuBar()->actions()) {
        add(menu->text());
    }
    for (const auto* button : window.findChildren<QAbstractButton*>()) {
        add(button->text());
    }
    for (const auto* label : window.findChildren<QLabel*>()) {
        if (label->buddy() != nullptr) {
            add(label->text());
        }
    }
    CHECK(texts.size() > 15);
}

TEST_CASE("no two actions have the same key")
{
    const MainWindow window(test::small_form(), false);
    std::set<QString> keys;
    for (const QAction* action : window.findChildren<QAction*>()) {
        for (const QKeySequence& key : action->shortcuts()) {
            CAPTURE(key.toString().toStdString());
            CHECK(keys.insert(key.toString()).second);
        }
    }
    CHECK(keys.contains("Ctrl+Q"));
}

TEST_CASE("docks, their menus and the sheet of shortcuts go by the rows of the docks")
{
    test::WindowFixture f;
    QStringList shown;
    for (const QMenu* menu : f.window.menuBar()->findChildren<QMenu*>()) {
        for (const QAction* action : menu->actions()) {
            shown << action->text() << action->shortcut().toString();
        }
    }
    show_shortcuts(&f.window);
    for (const QLabel* label : f.find<QDialog>("shortcut_sheet").findChildren<QLabel*>()) {
        shown << label->text();
    }
    for (const DockRow& row : dock_rows()) {
        CAPTURE(row.id);
        CHECK(f.find<QDockWidget>(row.id).windowTitle() == row.title);
        CHECK(shown.count(row.title) >= 2); // under View and under Go to
        for (const ShortcutText& text : row.keys) {
            CHECK(shown.contains(text.action));
        }
        if (row.command) {
            CHECK(shown.contains(row.command->text));
            CHECK(shown.count(row.command->key) == 2); // in a menu and in the sheet
            CHECK(shown.contains(row.command->about));
        }
    }
}

TEST_CASE("a layout that was saved before a dock came leaves that dock where it is by default")
{
    MainWindow window(test::small_form(), false);
    window.show();
    auto* store = window.findChild<QDockWidget*>("store_dock");
    store->setObjectName("unknown_then");
    const QByteArray before = window.saveState(3);
    store->setObjectName("store_dock");
    REQUIRE(window.restoreState(before, 3));
    CHECK_FALSE(store->isHidden());
    CHECK(window.dockWidgetArea(store) == Qt::BottomDockWidgetArea);
}

TEST_CASE("the default layout comes back")
{
    MainWindow window(test::small_form(), false);
    window.show();
    auto* dock = window.findChild<QDockWidget*>("ranking_dock");
    REQUIRE(dock != nullptr);
    window.addDockWidget(Qt::LeftDockWidgetArea, dock);
    dock->hide();
    window.findChild<QDockWidget*>("kernel_dock")->setFloating(true);
    window.restore_default_layout();
    CHECK_FALSE(dock->isHidden());
    CHECK(window.dockWidgetArea(dock) == Qt::BottomDockWidgetArea);
    CHECK_FALSE(window.findChild<QDockWidget*>("kernel_dock")->isFloating());
}
