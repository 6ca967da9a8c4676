#include "base/error.hpp"
#include "gui/shell/main_window.hpp"
#include "gui/store/store_panel.hpp"
#include "gui/study/session.hpp"
#include "gui/study/study_panel.hpp"
#include "tests/gui/small_study.hpp"
#include "workbench/store/result_store.hpp"

#include <catch2/catch.hpp>

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <random>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

StoredResult result(int number, const std::string& device = "adreno-740")
{
    StoredResult row;
    row.key = {"kernel " + std::to_string(number), "simulator", device, "", "1", "s"};
    row.op = number % 2 == 0 ? "matmul" : "softmax";
    row.shape = number % 2 == 0 ? "16,16,16" : "8,32";
    row.config = number % 2 == 0 ? "A=row,column;T=4x4;W=8x8;G=8x8x1" : "";
    row.status = number % 5 == 0 ? RunStatus::failed : RunStatus::ok;
    row.reason = number % 5 == 0 ? "Out of Luck" : "";
    if (row.status == RunStatus::ok) {
        row.samples_ns = {1000.0 * ((number * 7919) % 101 + 1)};
    }
    row.timestamp = "2026-11-22T07:41:24Z";
    return row;
}

void put(const std::string& path, int begin, int end)
{
    std::vector<StoredResult> rows;
    for (int i = begin; i < end; ++i) {
        rows.push_back(result(i));
    }
    ResultStore(path).put(rows);
}

} // namespace

TEST_CASE("the order of a store's rows is that of a plain sort of what a plain search finds")
{
    std::mt19937 random(5);
    std::vector<StoreRow> rows(300);
    for (StoreRow& row : rows) {
        row.op = random() % 2 == 0 ? "matmul" : "conv2d";
        row.device = "mali-" + std::to_string(random() % 7);
        row.status = random() % 3 == 0 ? "failed" : "ok";
        row.median_ns = row.status == "ok" ? static_cast<double>(random() % 50 + 1) : 0;
        row.words = row.op + "\n" + row.device + "\n" + row.status;
    }
    for (const bool descending : {false, true}) {
        const auto order = store_order(rows, "  MALI-3 ok", StoreColumn::time, descending);
        std::size_t expected = 0;
        for (const StoreRow& row : rows) {
            expected += row.device == "mali-3" && row.status == "ok" ? 1U : 0U;
        }
        REQUIRE(order.size() == expected);
        REQUIRE(expected > 5);
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            const double a = rows[order[i]].median_ns, b = rows[order[i + 1]].median_ns;
            CHECK((descending ? a >= b : a <= b));
            CHECK((a != b || order[i] < order[i + 1]));
        }
        const auto all = store_order(rows, "", StoreColumn::time, descending);
        const auto first_without = std::find_if(
            all.begin(), all.end(), [&](std::size_t i) { return rows[i].median_ns == 0; });
        CHECK(all.size() == rows.size());
        CHECK(
            std::all_of(first_without, all.end(), [&](auto i) { return rows[i].median_ns == 0; }));
        const auto by_device = store_order(rows, "", StoreColumn::device, descending);
        CHECK(std::is_sorted(by_device.begin(), by_device.end(), [&](auto a, auto b) {
            return descending ? rows[a].device > rows[b].device : rows[a].device < rows[b].device;
        }));
    }
    CHECK(store_order(rows, "mali-3\nok", StoreColumn::op, false).size() ==
          store_order(rows, "ok mali-3", StoreColumn::op, false).size());
    CHECK(store_order(rows, "nothing", StoreColumn::op, false).empty());
}

TEST_CASE("a store is a well-behaved model, filtered and sorted")
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a.db").toStdString();
    put(path, 0, 40);
    StoreModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.set_table(std::make_shared<StoreTable>(read_store(path)));
    CHECK(model.rowCount() == 40);
    model.set_filter("luck SOFT");
    CHECK(model.rowCount() == 4);
    CHECK(model.index(0, static_cast<int>(StoreColumn::status)).data().toString() == "failed");
    CHECK(model.index(0, static_cast<int>(StoreColumn::status)).data(Qt::ToolTipRole).toString() ==
          "Out of Luck");
    const auto time_tip = [&](std::size_t samples, bool wall_clock) {
        StoreTable table{path, {StoreRow{}}};
        table.rows[0].samples = samples;
        table.rows[0].wall_clock = wall_clock;
        StoreModel one;
        one.set_table(std::make_shared<StoreTable>(std::move(table)));
        return one.index(0, static_cast<int>(StoreColumn::time)).data(Qt::ToolTipRole).toString();
    };
    CHECK(time_tip(1, false).isEmpty());
    CHECK(time_tip(3, false) == "median of 3 samples");
    CHECK(time_tip(1, true) == "by the wall clock");
    CHECK(time_tip(3, true) == "median of 3 samples, by the wall clock");
    model.set_filter({});
    model.sort(static_cast<int>(StoreColumn::time), Qt::AscendingOrder);
    for (int row = 0; row + 1 < model.rowCount(); ++row) {
        const double a = model.row(row).median_ns, b = model.row(row + 1).median_ns;
        CHECK((b == 0 || a <= b));
    }
    model.set_table(nullptr);
    CHECK(model.rowCount() == 0);
}

TEST_CASE("a store that others write to is reloaded, and the filter stays")
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.db");
    put(path.toStdString(), 0, 10);
    const ResultStore other(path.toStdString()); // open meanwhile, with its log
    Session session;
    StorePanel panel(session);
    panel.show();
    QSignalSpy ended(&panel, &StorePanel::ended);
    CHECK(panel.findChild<QLabel*>("store_note")->text().contains("File > Open"));
    CHECK_FALSE(panel.findChild<QPushButton*>("store_reload")->isEnabled());
    panel.open(path);
    REQUIRE(test::wait_until([&] { return ended.count() == 1; }));
    panel.findChild<QLineEdit*>("store_filter")->setText("matmul");
    CHECK(panel.model().rowCount() == 5);
    put(path.toStdString(), 10, 30);
    panel.findChild<QPushButton*>("store_reload")->click();
    REQUIRE(test::wait_until([&] { return ended.count() == 2; }));
    CHECK(panel.model().size() == 30);
    CHECK(panel.model().rowCount() == 15);
    for (const QWidget* control : panel.findChildren<QWidget*>(QRegularExpression("^store_"))) {
        CAPTURE(control->objectName().toStdString());
        CHECK_FALSE(control->accessibleName().isEmpty());
    }
}

TEST_CASE("a row becomes a study: on its device where there is such a profile")
{
    const StudyForm present = test::small_form();
    StoreRow row;
    row.op = "conv2d";
    row.shape = "1,6,6,4,4,3,3,1";
    row.padding = "valid";
    row.config = "A=row,column;T=1x1;W=4x4;G=4x4x1";
    row.device = "mali-g76";
    const StoredStudy known = study_of(row, present);
    CHECK(known.has_device);
    CHECK(known.form.op == row.op);
    CHECK(known.form.shape == row.shape);
    CHECK(known.form.padding == row.padding);
    CHECK(known.form.config == row.config);
    CHECK(known.form.device == "mali-g76");
    CHECK(known.form.seed == present.seed);
    row.device = "some GPU that ran kernels";
    CHECK_FALSE(study_of(row, present).has_device);
    CHECK(study_of(row, present).form.device == present.device);
}

TEST_CASE("Enter on a row of the store runs its study")
{
    const QTemporaryDir folder;
    put(folder.filePath("a.db").toStdString(), 2, 3);
    MainWindow window(test::small_form(), false);
    window.show();
    QSignalSpy shown(&window.session(), &Session::shown_anew);
    auto* panel = window.findChild<StorePanel*>();
    QSignalSpy ended(panel, &StorePanel::ended);
    window.open(folder.filePath("a.db"));
    REQUIRE(test::wait_until([&] { return ended.count() == 1; }));
    CHECK(panel->isVisible());
    auto* table = panel->findChild<QTableView*>("store_table");
    table->setCurrentIndex(table->model()->index(0, 0));
    QTest::keyClick(table, Qt::Key_Return);
    REQUIRE(test::wait_until([&] { return shown.count() == 1; }));
    CHECK(to_string(window.session().study()->request.schedule) == result(2).config);
    CHECK(window.session().study()->request.op.inputs.size() == 2);
}
