#include "base/atomic_file.hpp"
#include "experiments/experiment.hpp"
#include "experiments/kept_experiment.hpp"
#include "gui/figures/experiment_model.hpp"
#include "gui/figures/figures_panel.hpp"
#include "gui/plots/plot_export.hpp"
#include "gui/plots/plot_view.hpp"
#include "gui/widgets/result_table_model.hpp"
#include "tests/gui/small_study.hpp"

#include <catch2/catch.hpp>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTreeView>

using namespace texelscope;
using namespace texelscope::gui;
using Catch::Contains;

namespace {

/// Runs what is chosen to its end.
void run(test::PanelFixture<FiguresPanel>& f)
{
    const auto before = f.ended.count();
    f.click("figures_run");
    REQUIRE(f.wait_for_end(before + 1));
}

std::string note(test::PanelFixture<FiguresPanel>& f)
{
    return f.find<QLabel>("figures_note").text().toStdString();
}

} // namespace

TEST_CASE("the list of figures has every experiment below its paper")
{
    ExperimentModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    std::size_t experiments = 0;
    for (int paper = 0; paper < model.rowCount(); ++paper) {
        const QModelIndex above = model.index(paper, 0);
        CHECK(model.experiment(above) == nullptr);
        CHECK_FALSE(above.data().toString().contains(u','));
        experiments += static_cast<std::size_t>(model.rowCount(above));
        for (int row = 0; row < model.rowCount(above); ++row) {
            const QModelIndex index = model.index(row, 0, above);
            const Experiment* one = model.experiment(index);
            REQUIRE(one != nullptr);
            CHECK(std::string(one->source).starts_with(above.data().toString().toStdString()));
            CHECK(index.data().toString().toStdString() == one->name);
            CHECK(index.siblingAtColumn(ExperimentModel::title_column)
                      .data()
                      .toString()
                      .toStdString() == one->title);
            CHECK(model.index_of(*one) == index);
            CHECK(one->processor_seconds > 0);
        }
    }
    CHECK(experiments == all_experiments().size());

    model.set_counts(find_experiment("fig5"), {3, 1, 2});
    CHECK(model.index_of(find_experiment("fig5"))
              .siblingAtColumn(ExperimentModel::findings_column)
              .data() == "3 of 4");
}

TEST_CASE("a table of results is shown in its order, and sorted by its numbers")
{
    const ResultTable table{{"name", "count", "share"},
                            {{"b", std::int64_t{10}, 0.5}, {"a", std::int64_t{9}, 0.25}}};
    ResultTableModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.set_table(table);
    CHECK(model.index(0, 0).data() == "b");
    CHECK(model.index(0, 1).data() == "10");
    CHECK(model.index(0, 1)
              .data(Qt::TextAlignmentRole)
              .value<Qt::Alignment>()
              .testFlag(Qt::AlignRight));
    CHECK(model.index(0, 0)
              .data(Qt::TextAlignmentRole)
              .value<Qt::Alignment>()
              .testFlag(Qt::AlignLeft));

    ResultTableView view("table", "A table", "table.csv");
    view.set_table(table);
    CHECK(view.model()->index(0, 0).data() == "b");
    view.sortByColumn(1, Qt::AscendingOrder); // as texts, 10 would be before 9
    CHECK(view.model()->index(0, 1).data() == "9");
    view.selectRow(0);
    CHECK(view.selected() == std::vector<std::size_t>{1});
    CHECK(table_csv(*view.model()) == "name,count,share\na,9,0.25\nb,10,0.5\n");
    view.set_table({{"other"}, {}});
    CHECK(view.model()->rowCount() == 0);
}

TEST_CASE("findings are shown word by word, and are no markup")
{
    ExperimentResult result;
    result.findings = {{"a < b", "1 & 2", "<i>3</i>", Verdict::holds, {}},
                       {"c", "4", "5", Verdict::does_not_hold, "because"}};
    result.conditions = {{"device", "one"}};
    for (const bool dark : {false, true}) {
        QTextDocument document;
        document.setHtml(findings_html(result, dark));
        const QString text = document.toPlainText();
        qsizetype at = 0;
        for (const char* words : {"holds", "a < b", "1 & 2", "<i>3</i>", "does not hold", "c",
                                  "because", "4", "5", "device", "one"}) {
            CAPTURE(words);
            at = text.indexOf(words, at);
            REQUIRE(at >= 0);
        }
    }
}

TEST_CASE("an experiment that runs in the window gives what the library does")
{
    test::PanelFixture<FiguresPanel> f({1080, 700});
    const Experiment& experiment = find_experiment("fig2");
    f.panel.choose("fig2");
    auto& plot = f.find<PlotView>("figure_plot");
    CHECK_FALSE(plot.canvas().plot());
    run(f);
    const ExperimentResult expected = experiment.run(find_profile("adreno-740"), {}, {});
    REQUIRE_FALSE(expected.findings.empty());

    QTextDocument document;
    document.setHtml(findings_html(expected, false));
    CHECK(f.find<QTextBrowser>("figure_findings").toPlainText() == document.toPlainText());
    for (const Finding& finding : expected.findings) {
        CHECK_THAT(document.toPlainText().toStdString(),
                   Contains(finding.claim) && Contains(finding.paper) && Contains(finding.ours));
    }
    REQUIRE(plot.canvas().plot());
    CHECK(plot_csv(*plot.canvas().plot()) == plot_csv(expected.plot));
    auto& tabs = f.find<QTabWidget>("figure_tabs");
    CHECK(tabs.count() == 2 + static_cast<int>(expected.further.size()));
    const auto* data = static_cast<ResultTableView*>(tabs.widget(1));
    CHECK(to_csv(data->table()) == to_csv(expected.table));
    CHECK_THAT(note(f), Contains("fig2 was run on adreno-740"));

    const auto& list = f.find<QTreeView>("figures_list");
    const auto holding = std::ranges::count(expected.findings, Verdict::holds, &Finding::verdict);
    CHECK(list.currentIndex()
              .siblingAtColumn(ExperimentModel::findings_column)
              .data()
              .toString()
              .startsWith(QString::number(holding)));
}

TEST_CASE("a cancelled experiment leaves the result before it, and each keeps its own")
{
    test::PanelFixture<FiguresPanel> f({1080, 700});
    f.panel.choose("fig2");
    run(f);
    const auto& view = *f.panel.findChild<FigureView*>();
    const std::shared_ptr<const Figure> before = view.figure();
    REQUIRE(before != nullptr);

    f.click("figures_run");
    CHECK(f.session.jobs().cancel_latest()); // as Esc does
    REQUIRE(f.wait_for_end(2));
    CHECK(note(f) == "Cancelled.");
    CHECK(view.figure() == before);

    f.panel.choose("table3"); // a long one
    CHECK(view.figure() == nullptr);
    f.click("figures_run");
    CHECK(f.panel.running());
    f.panel.choose("fig2");
    CHECK(view.figure() == before);
    f.click("figures_cancel");
    REQUIRE(f.wait_for_end(3));
    CHECK_FALSE(f.panel.running());
    CHECK(view.figure() == before);
}

TEST_CASE("what cannot be run is one line")
{
    StudyForm form;
    form.device = "no-such-device";
    Session session(form);
    FiguresPanel panel(session);
    QSignalSpy ended(&panel, &FiguresPanel::ended);
    panel.choose("fig2");
    panel.run();
    REQUIRE(ended.count() == 1);
    auto& note = *panel.findChild<QLabel*>("figures_note");
    CHECK_THAT(note.text().toStdString(), Contains("no-such-device"));
    CHECK_FALSE(note.text().contains(u'\n'));
    CHECK_THROWS_WITH(panel.choose("fig1"), Contains("there is no experiment 'fig1'"));

    panel.choose("romou-fig7"); // of the paper's device, wherever the study is
    CHECK(panel.findChild<QComboBox*>("figures_device")->currentText() ==
          "adreno-640, the paper's");
    panel.findChild<QComboBox*>("figures_opencl")->setEditText("ssh:");
    panel.run();
    REQUIRE(test::wait_until([&] { return ended.count() == 2; }));
    CHECK_FALSE(note.text().isEmpty());
    CHECK_FALSE(note.text().contains(u'\n'));
    CHECK(panel.findChild<FigureView*>()->figure() == nullptr);
}

TEST_CASE("a result that was written before is shown as it was")
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("fig2.json").toStdString();
    const Experiment& experiment = find_experiment("fig2");
    const ExperimentResult result = experiment.run(find_profile("mali-g76"), {}, {});
    write_file_atomically(path, experiment_file({experiment, "mali-g76", result}));
    test::PanelFixture<FiguresPanel> f({1080, 700});
    f.panel.choose("fig5");
    f.panel.open(path);
    CHECK(f.panel.chosen().name == "fig2");
    const auto figure = f.panel.findChild<FigureView*>()->figure();
    REQUIRE(figure != nullptr);
    CHECK(findings_text(figure->result) == findings_text(result));
    CHECK(to_csv(figure->result.table) == to_csv(result.table));
    CHECK_THAT(note(f), Contains("fig2 on mali-g76"));

    write_file_atomically(path, "{}");
    f.panel.open(path);
    CHECK_THAT(note(f), Contains("no result of an experiment") && !Contains("\n"));
    CHECK(f.panel.findChild<FigureView*>()->figure() == figure);
}

TEST_CASE("an experiment offers the devices that it is of")
{
    test::PanelFixture<FiguresPanel> f({1080, 700});
    const auto& device = f.find<QComboBox>("figures_device");
    const auto offered = [&](const char* experiment) {
        f.panel.choose(experiment);
        QStringList texts;
        for (int i = 0; i < device.count(); ++i) {
            texts << device.itemText(i);
        }
        return texts;
    };
    CHECK(offered("fig5") == QStringList{"adreno-740, the study's"});
    CHECK(offered("measured") == QStringList{"nvidia-h200"});
    CHECK(offered("romou-fig6") ==
          QStringList{"adreno-640, the paper's", "adreno-740, the study's"});
    CHECK(offered("judges") == QStringList{"adreno-740, the study's",
                                           QString("all %1 devices").arg(profile_names().size())});
    CHECK_FALSE(f.find<QComboBox>("figures_opencl").isVisible());
    (void)offered("forms");
    CHECK(f.find<QComboBox>("figures_opencl").isVisible());
}
