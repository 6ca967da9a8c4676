#include "gui/cross_check/crosscheck_model.hpp"
#include "gui/cross_check/crosscheck_panel.hpp"
#include "gui/plots/scatter_plot.hpp"
#include "gui/study/session.hpp"
#include "tests/gui/opencl_for_tests.hpp"
#include "tests/gui/small_study.hpp"
#include "workbench/plots/result_table.hpp"
#include "workbench/report/judged_configurations.hpp"
#include "workbench/study/study.hpp"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

CrosscheckResult three_rows()
{
    CrosscheckResult result;
    result.space = 30;
    const auto schedule = [](const std::string& text) { return parse_schedule(text); };
    result.rows.push_back(
        {schedule("A=row,column;T=4x4;W=8x8;G=8x8x1"), {10}, {200}, Nanoseconds{3000}, true, ""});
    result.rows.push_back(
        {schedule("A=block2,row;T=4x4;W=8x8;G=8x8x1"), {9}, {400}, {}, false, "too large, by far"});
    result.rows.push_back(
        {schedule("A=row,row;T=4x4;W=8x8;G=8x8x1"), {100}, {300}, Nanoseconds{500}, true, ""});
    result.pairs[0].kendall = 1.0 / 3;
    result.pairs[0].regret = 0.5;
    return result;
}

struct CrosscheckFixture : test::PanelFixture<CrosscheckPanel> {
    void show_study() { panel.show_study(study); }
    std::string note() { return find<QLabel>("crosscheck_note").text().toStdString(); }
    void run(int samples)
    {
        const auto before = ended.count();
        find<QSpinBox>("crosscheck_samples").setValue(samples);
        panel.run();
        REQUIRE(wait_for_end(before + 1));
    }
};

} // namespace

TEST_CASE("a cross-check is a well-behaved model")
{
    CrosscheckModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    CHECK(model.rowCount() == 0);
    model.set_result(three_rows());
    CHECK(model.rowCount() == 3);
    const auto text = [&](int row, int column) {
        return model.index(row, column).data().toString().toStdString();
    };
    CHECK(text(0, CrosscheckModel::configuration_column) == "A=row,column;T=4x4;W=8x8;G=8x8x1");
    CHECK(text(0, CrosscheckModel::measured_column) == "3 \u00B5s");
    CHECK(text(0, CrosscheckModel::output_column) == "passed");
    CHECK(text(1, CrosscheckModel::measured_column) == "-");
    CHECK(text(1, CrosscheckModel::output_column) == "too large, by far");

    QSortFilterProxyModel sorted;
    sorted.setSourceModel(&model);
    sorted.setSortRole(CrosscheckModel::sort_role);
    const auto order = [&](int column) {
        sorted.sort(column);
        std::vector<int> rows;
        for (int row = 0; row < 3; ++row) {
            rows.push_back(sorted.mapToSource(sorted.index(row, 0)).row());
        }
        return rows;
    };
    // as numbers, not as texts
    CHECK(order(CrosscheckModel::predicted_column) == std::vector<int>{1, 0, 2});
    // what was not measured is last
    CHECK(order(CrosscheckModel::measured_column) == std::vector<int>{2, 0, 1});
    CHECK(to_csv(crosscheck_table(three_rows())) ==
          "configuration,predicted_ns,simulated_ns,measured_ns,output\n"
          "\"A=row,column;T=4x4;W=8x8;G=8x8x1\",10,200,3000,passed\n"
          "\"A=block2,row;T=4x4;W=8x8;G=8x8x1\",9,400,,\"too large, by far\"\n"
          "\"A=row,row;T=4x4;W=8x8;G=8x8x1\",100,300,500,passed\n");
    CHECK(agreement_text(three_rows()) == "model/simulator: tau 0.33, regret 50 %");
    CHECK(agreement_text({}) == "too few rows for an agreement");
    CrosscheckResult foreign = three_rows();
    foreign.profile = "adreno-640";
    foreign.device = "a CPU";
    foreign.like_with_like = false;
    CHECK(summary_text(foreign).startsWith("Not like with like: "));
    CHECK(summary_tip(foreign).contains("says nothing about adreno-640"));
    foreign.like_with_like = true;
    CHECK(summary_text(foreign) == agreement_text(foreign));
}

TEST_CASE("a point is found where it is drawn, and told of when it is clicked")
{
    ScatterPlot plot;
    plot.resize(400, 300);
    ScatterData shown;
    shown.points = {{10, 20, 0, "a", 7}, {1000, 500, 1, "b", 8}};
    shown.categories = QStringList{"first", "second"};
    shown.x_text = shown.y_text = [](double value) { return QString::number(value); };
    plot.show_data(shown);
    QSignalSpy selected(&plot, &ScatterPlot::selected);
    CHECK(plot.place_of(shown.points[0]).x() < plot.place_of(shown.points[1]).x());
    CHECK(plot.place_of(shown.points[0]).y() > plot.place_of(shown.points[1]).y());
    CHECK(plot.row_at(plot.place_of(shown.points[0])) == 7);
    CHECK(plot.row_at({399, 1}) == std::nullopt);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.place_of(shown.points[1]).toPoint());
    REQUIRE(selected.count() == 1);
    CHECK(selected.last().front().toInt() == 8);
    QTest::keyClick(&plot, Qt::Key_Left);
    CHECK(selected.last().front().toInt() == 7);
    QTest::keyClick(&plot, Qt::Key_Left); // there is none further left
    CHECK(selected.last().front().toInt() == 7);
    CHECK_FALSE(plot.grab().isNull());

    // With one scale for both axes, a point on the diagonal of the values lies on the diagonal of
    // the plot.
    const QPointF low = plot.place_of({10, 10, 0, {}, 0});
    const QPointF high = plot.place_of({1000, 1000, 0, {}, 0});
    const QPointF middle = plot.place_of({100, 100, 0, {}, 0});
    CHECK(middle.x() == Approx((low.x() + high.x()) / 2));
    CHECK(middle.y() == Approx((low.y() + high.y()) / 2));
}

TEST_CASE("without a study there is nothing to cross-check, and the panel says so")
{
    CrosscheckFixture f;
    CHECK_FALSE(f.find<QPushButton>("crosscheck_run").isEnabled());
    f.panel.run();
    CHECK(f.note().find("F5") != std::string::npos);
    CHECK_FALSE(f.panel.grab().isNull());
}

TEST_CASE("model and simulator are cross-checked without a device")
{
    CrosscheckFixture f;
    f.panel.show_devices({});
    f.show_study();
    f.run(6);
    auto& table = f.find<QTableView>("crosscheck_table");
    auto& plot = f.find<ScatterPlot>("scatter_plot");
    const CrosscheckResult& result = f.panel.result();
    REQUIRE(result.rows.size() == 6);
    CHECK(result.rows.front().schedule == f.study->request.schedule);
    CHECK(f.note().find("model/simulator: tau ") != std::string::npos);
    CHECK(plot.data().points.size() == 6);
    CHECK(plot.data().axes == ScatterAxes::one_scale);
    CHECK(table.currentIndex().siblingAtColumn(0).data().toString().toStdString() ==
          to_string(f.study->request.schedule));

    SECTION("a point and its row are selected together")
    {
        const QPoint at = plot.place_of(plot.data().points[3]).toPoint();
        const int row = *plot.row_at(at); // another one may lie on it
        QTest::mouseClick(&plot, Qt::LeftButton, {}, at);
        CHECK(table.currentIndex().siblingAtColumn(0).data().toString().toStdString() ==
              to_string(result.rows[static_cast<std::size_t>(row)].schedule));
    }
    SECTION("what is selected elsewhere is selected here, and the other way round")
    {
        SelectedConfigurations& selection = f.session.selection();
        selection.set({result.rows[4].schedule, parse_schedule("A=row,row;T=3x5;W=7x1;G=7x1x1"),
                       result.rows[2].schedule});
        // the one in between was not judged
        CHECK(table.selectionModel()->selectedRows().size() == 2);
        std::vector<int> marked = plot.selection();
        std::sort(marked.begin(), marked.end());
        CHECK(marked == std::vector<int>{2, 4});
        CHECK(selection.schedules().size() == 3); // following does not tell
        table.selectRow(1);
        const std::string text = table.model()->index(1, 0).data().toString().toStdString();
        REQUIRE(selection.schedules().size() == 1);
        CHECK(to_string(selection.schedules()[0]) == text);
    }
    SECTION("Enter on a row chooses its configuration")
    {
        std::optional<Schedule> chosen;
        QObject::connect(&f.session, &Session::configuration_chosen,
                         [&](const Schedule& schedule) { chosen = schedule; });
        table.setCurrentIndex(table.model()->index(2, 0));
        QTest::keyClick(&table, Qt::Key_Return);
        REQUIRE(chosen);
        CHECK(to_string(*chosen) == table.model()->index(2, 0).data().toString().toStdString());
    }
    SECTION("the ratio is that of the two times")
    {
        f.find<QComboBox>("crosscheck_mode").setCurrentIndex(1);
        REQUIRE(plot.data().axes == ScatterAxes::ratio);
        for (const ScatterPoint& point : plot.data().points) {
            const CrosscheckRow& row = result.rows[static_cast<std::size_t>(point.row)];
            CHECK(point.y == Approx(row.predicted.value / row.simulated.value));
            CHECK(point.x == row.simulated.value);
        }
    }
    SECTION("a judge that has no time leaves the plot empty, with a reason")
    {
        f.find<QComboBox>("crosscheck_y").setCurrentText("device");
        CHECK(plot.data().points.empty());
        CHECK(plot.data().empty.contains("device"));
        CHECK_FALSE(plot.grab().isNull());
    }
    SECTION("the table is copied and exported")
    {
        f.click("crosscheck_copy");
        CHECK(QGuiApplication::clipboard()->text().toStdString() ==
              to_csv(crosscheck_table(result)));
        const QTemporaryDir folder;
        f.panel.export_table(folder.filePath("c.csv").toStdString());
        QFile file(folder.filePath("c.csv"));
        REQUIRE(file.open(QIODevice::ReadOnly));
        CHECK(file.readAll().toStdString() == to_csv(crosscheck_table(result)));
        f.panel.export_table("/nowhere/at/all.csv");
        CHECK(f.note().find("/nowhere/at/all.csv") != std::string::npos);
    }
    SECTION("another configuration keeps the rows, another operator does not")
    {
        auto other = std::make_shared<StudyResult>(*f.study);
        other->request.schedule = result.rows.back().schedule;
        f.panel.show_study(other);
        CHECK(f.panel.result().rows.size() == 6);
        other = std::make_shared<StudyResult>(*other);
        other->request.op = parse_operator("matmul", "32,16,16");
        f.panel.show_study(other);
        CHECK(f.panel.result().rows.empty());
    }
}

TEST_CASE("the times of a cross-check are in sight where the dock is low and narrow")
{
    CrosscheckFixture f;
    f.panel.resize(680, 230); // as in the window at its first size
    f.show_study();
    f.run(6);
    const auto& table = f.find<QTableView>("crosscheck_table");
    for (const int column : {CrosscheckModel::predicted_column, CrosscheckModel::simulated_column,
                             CrosscheckModel::measured_column}) {
        CAPTURE(column, table.columnWidth(column), table.viewport()->width());
        CHECK(table.columnViewportPosition(column) + table.columnWidth(column) <=
              table.viewport()->width());
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            const QString text = table.model()->index(row, column).data().toString();
            CHECK(table.columnWidth(column) > table.fontMetrics().horizontalAdvance(text));
        }
    }
    CHECK(table.columnWidth(CrosscheckModel::configuration_column) >= 60);
    CHECK(table.model()
              ->index(0, CrosscheckModel::configuration_column)
              .data(Qt::ToolTipRole)
              .toString() ==
          table.model()->index(0, CrosscheckModel::configuration_column).data().toString());
}

TEST_CASE("a tip says which measured times are by the wall clock")
{
    CrosscheckResult result;
    result.rows.resize(2);
    result.rows[1].measured = Nanoseconds{1000};
    result.rows[1].wall_clock = true;
    CrosscheckModel model;
    model.set_result(result);
    const auto tip = [&](int row, int column) {
        return model.index(row, column).data(Qt::ToolTipRole).toString();
    };
    CHECK(tip(0, CrosscheckModel::measured_column).isEmpty());
    CHECK(tip(1, CrosscheckModel::measured_column) == "by the wall clock");
    CHECK(tip(1, CrosscheckModel::simulated_column).isEmpty());
}

TEST_CASE("a cross-check on a device measures and checks")
{
    const auto devices = test::cpu_devices();
    if (devices.empty()) {
        return;
    }
    CrosscheckFixture f;
    f.panel.show_devices(devices);
    f.show_study();
    auto& device = f.find<QComboBox>("crosscheck_device");
    CHECK(device.currentText().startsWith("none")); // a phone's profile: no device here is of it
    CHECK(f.find<QComboBox>("crosscheck_x").currentText() == "simulator");
    device.setCurrentIndex(0);
    f.run(4);
    const auto& rows = f.panel.result().rows;
    REQUIRE(rows.size() == 4);
    CHECK(std::all_of(rows.begin(), rows.end(),
                      [](const CrosscheckRow& row) { return row.checked; }));
    CHECK(f.find<QComboBox>("crosscheck_x").currentText() == "device");
    CHECK(f.find<ScatterPlot>("scatter_plot").data().points.size() == 4);
}

TEST_CASE("a cross-check is cancelled within a moment, and another can follow")
{
    CrosscheckFixture f;
    f.panel.show_devices({});
    f.show_study();
    f.find<QSpinBox>("crosscheck_samples").setValue(5000);
    f.panel.run();
    QTest::qWait(30);
    f.click("crosscheck_cancel");
    REQUIRE(test::wait_until([&] { return f.ended.count() == 1; }));
    CHECK(f.note().starts_with("Cancelled."));
    CHECK(f.panel.result().rows.size() < 5000);
    f.run(2);
    CHECK(f.panel.result().rows.size() == 2);
}

TEST_CASE("every control of the cross-check has an accessible name")
{
    CrosscheckFixture f;
    for (const char* name :
         {"crosscheck_device", "crosscheck_samples", "crosscheck_run", "crosscheck_cancel",
          "crosscheck_copy", "crosscheck_export", "crosscheck_progress", "crosscheck_table",
          "crosscheck_mode", "crosscheck_x", "crosscheck_y", "crosscheck_colour", "scatter_plot"}) {
        CAPTURE(name);
        CHECK_FALSE(f.find<QWidget>(name).accessibleName().isEmpty());
    }
}
