#include "base/number_text.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "gui/choice/choice_model.hpp"
#include "gui/choice/choice_panel.hpp"
#include "gui/cross_check/crosscheck_panel.hpp"
#include "tests/gui/window_fixture.hpp"
#include "workbench/study/study.hpp"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

/// The small study in a window, and a cross-check of it by model and simulator.
struct ChoiceFixture : test::StudyWindowFixture {
    ChoicePanel& panel = find<ChoicePanel>("choice_panel");
    QSignalSpy looked{&panel, &ChoicePanel::shown};
    QTableView& table = find<QTableView>("choice_table");
    CrosscheckResult judged;

    ChoiceFixture()
    {
        const StudyRequest& request = window.session().study()->request;
        CrosscheckOptions options;
        options.samples = 6;
        options.first = {request.schedule};
        judged = crosscheck(request.op, request.device, window.session().study()->calibration,
                            nullptr, options);
        emit window.session().judged(judged);
        wait_for_looks(1);
    }
    void wait_for_looks(qsizetype count)
    {
        REQUIRE(test::wait_until([&] { return looked.count() >= count; }));
    }
    void click(const char* name) { find<QPushButton>(name).click(); }
    [[nodiscard]] std::string text(int row, int column)
    {
        return table.model()->index(row, column).data().toString().toStdString();
    }
    [[nodiscard]] std::string fact(const std::string& name, int column)
    {
        const QAbstractItemModel& facts = *find<QTableView>("choice_facts").model();
        for (int row = 0; row < facts.rowCount(); ++row) {
            if (facts.index(row, FactsModel::fact_column).data().toString().toStdString() == name) {
                return facts.index(row, column).data().toString().toStdString();
            }
        }
        return {};
    }
};

} // namespace

TEST_CASE("the choices of the judges are well-behaved models")
{
    ChoiceModel choices;
    FactsModel facts;
    const QAbstractItemModelTester of_choices(
        &choices, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const QAbstractItemModelTester of_facts(&facts,
                                            QAbstractItemModelTester::FailureReportingMode::Fatal);
    CHECK(choices.rowCount() == 0);
    CrosscheckResult result;
    const auto add = [&](const char* config, double predicted, double simulated, double measured) {
        CrosscheckRow row;
        row.schedule = parse_schedule(config);
        row.predicted = Nanoseconds{predicted};
        row.simulated = Nanoseconds{simulated};
        row.measured = Nanoseconds{measured};
        row.checked = true;
        result.rows.push_back(row);
    };
    add("A=row,column;T=4x4;W=8x8;G=8x8x1", 1000, 4000, 3000);
    add("A=row,row;T=4x4;W=8x8;G=8x8x1", 2000, 3000, 2000);
    KernelFacts some;
    some.l1_misses = 300;
    KernelFacts more = some;
    more.l1_misses = 600;
    JudgeChoices both;
    both.by_judge = {{Judge::model, 0, 3, 1, 0.5}, {Judge::device, 1, 1, 0, 0.0}};
    both.in_use = 1;
    both.facts = {{0, some}, {1, more}};
    choices.show_choices({result, both});
    const auto text = [&](int row, int column) {
        return choices.index(row, column).data().toString().toStdString();
    };
    CHECK(choices.rowCount() == 2);
    CHECK(text(0, ChoiceModel::judge_column) == "model (3 alike)");
    CHECK(text(0, ChoiceModel::measured_column) == "3 \u00B5s");
    CHECK(text(0, ChoiceModel::over_best_column) == "+50 %");
    CHECK(text(1, ChoiceModel::over_best_column) == "best");
    CHECK(text(1, ChoiceModel::configuration_column) == "A=row,row;T=4x4;W=8x8;G=8x8x1");

    facts.show_facts(both, &both.by_judge[0]);
    const auto misses = [&](int column) {
        return facts.index(0, column).data().toString().toStdString();
    };
    CHECK(misses(FactsModel::fact_column) == "L1 misses");
    CHECK(misses(FactsModel::choice_column) == "300");
    CHECK(misses(FactsModel::second_column) == "\u00D72");
    CHECK(misses(FactsModel::in_use_column) == "\u00D72");
    CHECK(facts.index(0, FactsModel::second_column).data(Qt::ToolTipRole).toString() ==
          QStringLiteral("600 \u00D72"));
    facts.show_facts(both, &both.by_judge[1]); // it is the one in use
    CHECK(misses(FactsModel::in_use_column) == "\u2013");
    facts.show_facts(both, nullptr);
    CHECK(facts.rowCount() == 0);
}

TEST_CASE("a cross-check shows what each judge would take and what sets it apart")
{
    ChoiceFixture f;
    const StudyResult& study = *f.window.session().study();
    const JudgeChoices expected =
        judge_choices(study.request.op, study.request.device, study.calibration, f.judged,
                      study.request.schedule);
    REQUIRE(f.table.model()->rowCount() == 2); // nothing ran
    CHECK(f.text(0, ChoiceModel::judge_column).starts_with("model"));
    const JudgeChoice& model = *expected.of(Judge::model);
    CHECK(f.text(0, ChoiceModel::configuration_column) ==
          to_string(f.judged.rows[model.row].schedule));
    CHECK(f.text(1, ChoiceModel::over_best_column) == "best"); // the simulator, by itself
    CHECK(f.fact("L1 misses", FactsModel::choice_column) ==
          base::count_text(expected.facts.at(model.row).l1_misses));
    CHECK(f.find<QLabel>("choice_why").text().toStdString() ==
          to_string(f.judged.rows[model.row].schedule) + ": " +
              facts_text(expected.facts.at(model.row)));
    CHECK(f.find<QLabel>("choice_note").text().contains("model/simulator: tau"));

    SECTION("one click studies it, and it is the one in use then")
    {
        const auto before = f.shown.count();
        f.table.selectRow(1);
        f.click("choice_study");
        REQUIRE(test::wait_until([&] { return f.shown.count() > before; }));
        const Schedule& simulated = f.judged.rows[expected.of(Judge::simulator)->row].schedule;
        CHECK(f.window.session().study()->request.schedule == simulated);
        f.wait_for_looks(2);
        CHECK(f.table.currentIndex().row() == 1);
        CHECK(f.fact("L1 misses", FactsModel::in_use_column) == "\u2013");
    }
    SECTION("one click compares it with the one in use")
    {
        const auto before = f.shown.count();
        const Schedule in_use = study.request.schedule;
        f.click("choice_compare");
        REQUIRE(test::wait_until([&] { return f.shown.count() > before; }));
        CHECK(f.window.session().kept().study->request.schedule == in_use);
        CHECK(f.window.session().study()->request.schedule == f.judged.rows[model.row].schedule);
    }
    SECTION("one click exports its kernel")
    {
        f.panel.export_kernel(f.path("k.cl"));
        QFile file(f.file("k.cl"));
        REQUIRE(file.open(QIODevice::ReadOnly));
        CHECK(file.readAll().toStdString() ==
              opencl_text(loop_nest(study.request.op, f.judged.rows[model.row].schedule),
                          TexelBackend::native));
        f.panel.export_kernel("/nowhere/k.cl");
        CHECK(f.find<QLabel>("choice_note").text().contains("/nowhere/k.cl"));
    }
    SECTION("another operator has no choices yet")
    {
        f.find<QLineEdit>("shape").setText("16,16,32");
        f.run();
        CHECK(f.table.model()->rowCount() == 0);
        CHECK_FALSE(f.find<QPushButton>("choice_run").isEnabled());
    }
}

TEST_CASE("the choice dock asks for a cross-check, and for a run once the choice is studied")
{
    ChoiceFixture f;
    QSignalSpy wanted(&f.window.session(), &Session::crosscheck_wanted);
    QSignalSpy runs(&f.window.session(), &Session::kernel_run_wanted);
    f.click("choice_judge");
    CHECK(wanted.count() == 1);
    CHECK(f.find<CrosscheckPanel>("crosscheck_panel").running());
    f.find<CrosscheckPanel>("crosscheck_panel").cancel();
    f.find<CrosscheckPanel>("crosscheck_panel").cancel();

    const auto before = f.shown.count();
    f.table.selectRow(1);
    f.click("choice_run");
    REQUIRE(test::wait_until([&] { return f.shown.count() > before || runs.count() > 0; }));
    CHECK(runs.count() == 1);
    f.click("choice_run"); // it is in use by now
    CHECK(runs.count() == 2);
}
