#include "base/csv.hpp"
#include "gui/study/results_panel.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/table.hpp"
#include "tests/gui/small_study.hpp"

#include <catch2/catch.hpp>

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QScrollBar>
#include <QStandardItemModel>

using namespace texelscope;
using namespace texelscope::gui;

TEST_CASE("a table is its headings and rows, with commas and quotes as CSV has them")
{
    QStandardItemModel model(2, 2);
    model.setHorizontalHeaderLabels({"name", "a, b"});
    model.setItem(0, 0, new QStandardItem("x \"y\""));
    model.setItem(0, 1, new QStandardItem("1"));
    model.setItem(1, 0, new QStandardItem("z"));
    const auto rows = parse_csv(table_csv(model), "test");
    REQUIRE(rows.size() == 3);
    CHECK(rows[0] == std::vector<std::string>{"name", "a, b"});
    CHECK(rows[1] == std::vector<std::string>{"x \"y\"", "1"});
    CHECK(rows[2] == std::vector<std::string>{"z", ""});
}

TEST_CASE("the key figures export with their groups, and copy")
{
    Session session;
    ResultsPanel panel(session);
    const auto figures = key_figures(*test::small_study());
    panel.show_figures(figures);
    const std::string csv = table_csv(*panel.model());
    const auto rows = parse_csv(csv, "test");
    std::size_t count = 1;
    for (const KeyFigures& group : figures) {
        for (const KeyFigure& figure : group.figures) {
            REQUIRE(rows.at(count) == std::vector<std::string>{group.title.toStdString(),
                                                               figure.name.trimmed().toStdString(),
                                                               figure.value.toStdString()});
            ++count;
        }
    }
    CHECK(rows.size() == count);
    CHECK(rows[0] == std::vector<std::string>{"Group", "Figure", "Value"});
    REQUIRE(panel.actions().size() == 2);
    panel.actions().front()->trigger();
    CHECK(QGuiApplication::clipboard()->text().toStdString() == csv);
}

TEST_CASE("beside B all four columns fit into a narrow dock")
{
    Session session;
    ResultsPanel panel(session);
    const auto figures = key_figures(*test::small_study());
    panel.resize(52 * panel.fontMetrics().averageCharWidth(), 400);
    panel.show();
    panel.show_figures(figures, figures);
    REQUIRE(panel.columnCount() == 4);
    QCoreApplication::processEvents();
    CHECK(panel.horizontalScrollBar()->maximum() == 0);
    CHECK(panel.header()->length() <= panel.viewport()->width());
    panel.show_figures(figures);
    CHECK(panel.columnCount() == 2);
}
