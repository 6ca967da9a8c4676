#include "base/csv.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "gui/plots/scatter_plot.hpp"
#include "gui/ranking/parts_choice.hpp"
#include "gui/ranking/ranking_filter.hpp"
#include "gui/ranking/ranking_panel.hpp"
#include "gui/ranking/ranking_times.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "tests/gui/ranking_space.hpp"
#include "tests/gui/small_study.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/space/searched_parts.hpp"
#include "workbench/store/result_store.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/study.hpp"
#include "workbench/tuning/model_descent.hpp"
#include "workbench/tuning/priced_parts.hpp"

#include <catch2/catch.hpp>

#include <QAbstractItemView>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QFile>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

struct RankingPanelFixture : test::PanelFixture<RankingPanel> {
    SelectedConfigurations& selection = session.selection();
    qsizetype seen = 0; ///< ends of jobs that were waited for

    /// Ranks all that TMModel's parts give, unless a test chooses others.
    RankingPanelFixture() : PanelFixture({1100, 400}) { parts().choose(paper_parts); }
    PartsChoice& parts() { return find<PartsChoice>("ranking_parts"); }
    void show_study()
    {
        panel.show_study(study);
        wait();
    }
    void wait()
    {
        REQUIRE(wait_for_end(seen + 1));
        seen = ended.count();
    }
    QTableView& table() { return find<QTableView>("ranking_table"); }
    void filter(const char* text) { find<ConditionEdit>("ranking_filter").setText(text); }
    QString error()
    {
        auto& label = find<QLabel>("ranking_filter_error");
        return label.isVisible() ? label.text() : QString();
    }
    QString note() { return find<QLabel>("ranking_note").text(); }
    void select(std::initializer_list<int> places)
    {
        table().clearSelection();
        for (const int place : places) {
            table().selectionModel()->select(table().model()->index(place, 0),
                                             QItemSelectionModel::Select |
                                                 QItemSelectionModel::Rows);
        }
    }
    Schedule schedule(int place)
    {
        return panel.rows().ranked->schedule(panel.shown()[static_cast<std::size_t>(place)]);
    }
};

} // namespace

TEST_CASE("without a study the ranking says what to do, and does nothing")
{
    RankingPanelFixture f;
    CHECK(f.panel.findChild<NotePage*>()->note().contains("F5"));
    f.panel.simulate_selected();
    f.panel.take_from_store("nowhere.db");
    f.filter("tile_x >");
    CHECK_FALSE(f.panel.running());
    f.panel.compile_selected();
    CHECK_FALSE(f.panel.running());
    CHECK(f.panel.csv(false) ==
          "rank,configuration,predicted_ns,simulated_ns,measured_ns,pruned_by,"
          "compiled_registers,compiled_warps,compiled_spills\n");
}

TEST_CASE("the ranking of a study has all of its configurations, the model's best first")
{
    RankingPanelFixture f;
    f.show_study();
    CHECK(static_cast<std::int64_t>(f.panel.shown().size()) == f.study->ranking.space);
    CHECK(f.schedule(0) == f.study->ranking.best.front().schedule);
    const auto own = index_of(*f.panel.rows().ranked->space(), f.study->request.schedule);
    REQUIRE(own);
    CHECK(f.panel.rows().simulated->at(*own).ns ==
          f.study->timed.time(f.study->options.machine)->value);

    SECTION("another variant of the model gives another order, and the times stay")
    {
        auto& variant = f.find<QComboBox>("ranking_variant");
        variant.setCurrentText("literal");
        emit variant.activated(variant.currentIndex());
        f.wait();
        const Ranking expected = rank_by_model({f.study->request.op, f.study->request.device,
                                                *f.panel.rows().ranked->space(),
                                                f.study->calibration, ModelVariant::literal},
                                               20);
        for (int place = 0; place < 20; ++place) {
            const auto row = static_cast<std::size_t>(place);
            CHECK(f.panel.shown()[row] == row);
            CHECK(test::has_cost_at(*f.panel.rows().ranked, row, expected.best[row]));
        }
        CHECK(f.panel.rows().simulated->contains(*own));
    }
    SECTION("a cancelled ranking leaves the one before")
    {
        auto& variant = f.find<QComboBox>("ranking_variant");
        variant.setCurrentText("literal");
        emit variant.activated(variant.currentIndex());
        f.panel.cancel();
        f.wait();
        CHECK(f.panel.rows().ranked->variant() == ModelVariant::bottleneck);
        CHECK(variant.currentText() == "bottleneck");
    }
    SECTION("a condition filters, a bad one says so and keeps the last good one")
    {
        f.filter("tile_x == 4 and pattern_1 == 'row'");
        CHECK(f.error().isEmpty());
        const std::size_t left = f.panel.shown().size();
        CHECK(left > 0);
        for (const std::size_t row : f.panel.shown()) {
            const Schedule schedule = f.panel.rows().ranked->schedule(row);
            CHECK((schedule.tile[0] == 4 && schedule.patterns[0] == AccessPattern::row));
        }
        f.filter("tile_x == 4 and pattern_1 == 'rows'");
        CHECK(f.error().contains("never 'rows'"));
        CHECK_FALSE(f.error().contains('\n'));
        CHECK(f.panel.shown().size() == left);
        f.filter("1 / tile_z == 1");
        CHECK(f.error().contains("zero"));
        f.table().sortByColumn(RankingColumn::group, Qt::DescendingOrder); // still by the good one
        CHECK(f.panel.shown().size() == left);
        f.filter("block4");
        CHECK(f.error().isEmpty());
        CHECK(f.panel.shown().size() != left);
        f.filter("no such word");
        CHECK(f.panel.findChild<NotePage*>()->note().contains("filter"));
        f.filter("");
        CHECK(static_cast<std::int64_t>(f.panel.shown().size()) == f.study->ranking.space);
    }
    SECTION("names and words of conditions are completed")
    {
        auto& edit = f.find<ConditionEdit>("ranking_filter");
        edit.setFocus();
        QTest::keyClicks(&edit, "tile_x < 4 and patt");
        CHECK(edit.completer_of_names().completionCount() == 2);
        emit edit.completer_of_names().activated(QStringLiteral("pattern_1"));
        QTest::keyClicks(&edit, " != 'bl");
        CHECK(edit.completer_of_names().completionPrefix() == "'bl");
        emit edit.completer_of_names().activated(QStringLiteral("'block4'"));
        CHECK(edit.text() == "tile_x < 4 and pattern_1 != 'block4'");
        CHECK(f.error().isEmpty());
    }
    SECTION("a heading sorts")
    {
        f.table().sortByColumn(RankingColumn::tile, Qt::DescendingOrder);
        const Schedule first = f.schedule(0);
        CHECK(first.tile[0] * first.tile[1] == 64);
        CHECK(f.schedule(static_cast<int>(f.panel.shown().size()) - 1).tile ==
              std::vector<std::int32_t>{1, 1});
    }
    SECTION("pruned configurations are hidden by the criteria that are chosen")
    {
        auto& hide = f.find<QCheckBox>("ranking_hide_pruned");
        for (QAction* action : f.find<QPushButton>("ranking_criteria").menu()->actions()) {
            action->setChecked(action->text() == "warp");
        }
        hide.setChecked(true);
        CHECK(static_cast<std::int64_t>(f.panel.shown().size()) < f.study->ranking.space);
        for (const std::size_t row : f.panel.shown()) {
            const Dim3 group = f.panel.rows().ranked->schedule(row).group;
            CHECK(group[0] * group[1] * group[2] >= f.study->options.machine.warp_size);
        }
        CHECK(f.table().model()->index(0, 1).data(Qt::ToolTipRole).toString().contains("Romou"));
        CHECK(f.table().isColumnHidden(RankingColumn::pruned));
    }
    SECTION("selected rows are copied and exported")
    {
        f.select({2, 5, 3});
        f.panel.activateWindow(); // the key counts where the table has the focus
        f.table().setFocus();
        REQUIRE(test::wait_until([&] { return f.table().hasFocus(); }));
        QTest::keyClick(&f.table(), Qt::Key_C, Qt::ControlModifier);
        const auto lines =
            parse_csv(QGuiApplication::clipboard()->text().toStdString(), "clipboard");
        CAPTURE(QGuiApplication::clipboard()->text().toStdString());
        REQUIRE(lines.size() == 4);
        CHECK(lines[0].size() == 9);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(lines[i + 1][0] == std::to_string(std::array{3, 4, 6}[i])); // in the order shown
            CHECK(lines[i + 1][1] == to_string(f.schedule(std::array{2, 3, 5}[i])));
        }
        const QTemporaryDir folder;
        f.panel.export_table(folder.filePath("all.csv").toStdString(), false);
        QFile file(folder.filePath("all.csv"));
        REQUIRE(file.open(QIODevice::ReadOnly));
        CHECK(file.readAll().count('\n') == f.study->ranking.space + 1);
    }
    SECTION("selected rows are simulated, and the times fill in")
    {
        f.select({50, 54}); // the first ones are simulated already
        f.panel.simulate_selected();
        f.wait();
        for (const int place : {0, 50, 54}) {
            const double ns =
                f.panel.rows().number(static_cast<std::size_t>(place), RankingColumn::simulated);
            const LoopNest nest = loop_nest(f.study->request.op, f.schedule(place));
            CHECK(ns ==
                  simulated_time(nest, f.study->request.device, most_simulated_accesses).value);
        }
        CHECK(std::isnan(f.panel.rows().number(51, RankingColumn::simulated)));
        CHECK(f.note().contains("2 simulated"));
    }
    SECTION("a simulation that is cancelled keeps what is done")
    {
        f.table().selectAll();
        f.panel.simulate_selected();
        const std::size_t before = f.panel.rows().simulated->size();
        REQUIRE(test::wait_until([&] { return f.panel.rows().simulated->size() > before + 3; }));
        f.panel.cancel();
        f.wait();
        CHECK(f.note().contains("Cancelled"));
        CHECK(f.panel.rows().simulated->size() > before + 3);
        CHECK(static_cast<std::int64_t>(f.panel.rows().simulated->size()) < f.study->ranking.space);
    }
    SECTION("measured times come from a store")
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("s.db").toStdString();
        {
            ResultStore store(path);
            StoredResult row = row_of({"k", "device", "my gpu", "1", "p", "s"}, f.study->request.op,
                                      f.schedule(3));
            row.samples_ns = {500, 700, 600};
            store.put(row);
        }
        f.panel.take_from_store(QString::fromStdString(path));
        f.wait();
        CHECK(f.panel.rows().number(3, RankingColumn::measured) == 600);
        CHECK(f.table()
                  .model()
                  ->index(3, RankingColumn::measured)
                  .data(Qt::ToolTipRole)
                  .toString()
                  .contains("my gpu"));
        CHECK(f.note().contains("1 measured"));
        f.panel.take_from_store("/nowhere/at/all.db");
        f.wait();
        CHECK(f.note().contains("/nowhere/at/all.db"));
        CHECK(f.panel.rows().number(3, RankingColumn::measured) == 600);
    }
    SECTION("a measured time is put beside its configuration")
    {
        emit f.session.measured(f.schedule(2), {1234}, "a device");
        CHECK(f.panel.rows().number(2, RankingColumn::measured) == 1234);
        // not in the space
        emit f.session.measured(parse_schedule("A=row,row;T=3x5;W=7x1;G=7x1x1"), {1}, "a device");
        CHECK(f.panel.rows().measured->size() == 1);
    }
    SECTION("Enter runs the current configuration")
    {
        std::vector<Schedule> chosen;
        QObject::connect(&f.session, &Session::configuration_chosen, &f.panel,
                         [&](const Schedule& schedule) { chosen.push_back(schedule); });
        f.table().setCurrentIndex(f.table().model()->index(6, 1));
        QTest::keyClick(&f.table(), Qt::Key_Return);
        REQUIRE(chosen.size() == 1);
        CHECK(chosen[0] == f.schedule(6));
    }
}

TEST_CASE("rows, points and the linked selection are selected together")
{
    RankingPanelFixture f;
    f.selection.set({f.study->request.schedule});
    f.show_study();
    CHECK(f.panel.csv(true).find(to_string(f.study->request.schedule)) != std::string::npos);
    f.find<QPushButton>("ranking_show_plot").click();
    auto& plot = f.find<ScatterPlot>("ranking_plot");
    REQUIRE(plot.isVisible());
    REQUIRE_FALSE(plot.data().points.empty());
    CHECK(static_cast<std::int64_t>(plot.data().points.size()) < f.study->ranking.space); // thinned

    SECTION("a row")
    {
        f.select({40, 41});
        CHECK(f.selection.schedules() == std::vector<Schedule>{f.schedule(40), f.schedule(41)});
        CHECK(plot.selection() == std::vector<int>{40, 41});
        const auto& points = plot.data().points; // it is drawn, thinned out or not
        CHECK(std::any_of(points.begin(), points.end(),
                          [](const ScatterPoint& point) { return point.row == 41; }));
    }
    SECTION("a point")
    {
        const QPoint at = plot.place_of(plot.data().points[5]).toPoint();
        const int row = *plot.row_at(at);
        QTest::mouseClick(&plot, Qt::LeftButton, {}, at);
        CHECK(f.selection.schedules() == std::vector<Schedule>{f.panel.rows().ranked->schedule(
                                             static_cast<std::size_t>(row))});
        CHECK(f.table().currentIndex().siblingAtColumn(0).data().toString() ==
              QString::number(row + 1));
    }
    SECTION("a rectangle of points")
    {
        const QRect band = plot.rect().adjusted(90, 30, -60, -60);
        const std::vector<int> inside = plot.rows_in(band);
        REQUIRE(inside.size() > 1);
        // From a corner that has no point: a press on a point selects that one.
        REQUIRE_FALSE(plot.row_at(band.topLeft()));
        QTest::mousePress(&plot, Qt::LeftButton, {}, band.topLeft());
        QTest::mouseMove(&plot, band.center());
        QTest::mouseMove(&plot, band.bottomRight());
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, band.bottomRight());
        CHECK(f.selection.schedules().size() == plot.selection().size());
        CHECK(static_cast<std::ptrdiff_t>(
                  std::count_if(inside.begin(), inside.end(),
                                [&](int row) {
                                    const auto& rows = plot.selection();
                                    return std::find(rows.begin(), rows.end(), row) != rows.end();
                                })) >=
              static_cast<std::ptrdiff_t>(inside.size()) - 2); // those on the very edge may be out
    }
    SECTION("a selection that another view made")
    {
        const Schedule other = f.panel.rows().ranked->schedule(123);
        f.selection.set({other});
        CHECK(f.table().currentIndex().siblingAtColumn(0).data().toString() == "124");
        CHECK(plot.selection() == std::vector<int>{123});
        f.filter("block4"); // it stays selected, shown or not
        f.filter("");
        CHECK(f.table().currentIndex().siblingAtColumn(0).data().toString() == "124");
        CHECK(f.selection.schedules() == std::vector<Schedule>{other});
    }
    SECTION("a column that nothing is known of leaves the plot empty, with what to do")
    {
        auto& y = f.find<QComboBox>("ranking_y");
        y.setCurrentIndex(y.findData(static_cast<int>(RankingColumn::measured)));
        CHECK(plot.data().points.empty());
        CHECK(plot.data().empty.contains("F6"));
    }
    CHECK_FALSE(f.panel.grab().isNull());
}

TEST_CASE("a study that did not rank is ranked when a model is chosen")
{
    RankingPanelFixture f;
    auto study = std::make_shared<StudyResult>(*f.study);
    study->ranking = {};
    f.panel.show_study(study);
    CHECK_FALSE(f.panel.running());
    CHECK(f.panel.findChild<NotePage*>()->note().contains("model"));
    emit f.find<QComboBox>("ranking_variant").activated(0);
    f.wait();
    CHECK(static_cast<std::int64_t>(f.panel.shown().size()) == f.study->ranking.space);
}

TEST_CASE(
    "the ranking searches the parts that both judges price by descent, or those that are chosen")
{
    RankingPanelFixture f;
    f.parts().choose({});
    f.show_study();
    const StudyRequest& request = f.study->request;
    const std::string priced = priced_parts(request.op, request.device);
    const std::string further = priced.substr(std::string(paper_parts).size());
    REQUIRE(further.size() > 1);
    const ConfigurationSpace space =
        configuration_space(request.op, request.device, {.parts = priced});
    const auto descend = [&] {
        return rank_by_descent({request.op, request.device, space, f.study->calibration,
                                f.panel.rows().ranked->variant()},
                               0);
    };
    const Ranking expected = descend();
    CAPTURE(priced, expected.evaluated, space.size());
    // What descent looks at, and the study's own.
    const RankedSpace& ranked = *f.panel.rows().ranked;
    const auto own_index = index_of(*ranked.space(), request.schedule);
    REQUIRE(own_index);
    const std::size_t own = ranked.row_of(*own_index).value();
    const bool found = std::ranges::find(expected.best, request.schedule,
                                         &RankedConfiguration::schedule) != expected.best.end();
    REQUIRE(ranked.size() == expected.best.size() + (found ? 0 : 1));
    CHECK(f.panel.shown().size() == ranked.size());
    for (std::size_t row = 0; row < expected.best.size(); row += 97) {
        CHECK(test::has_cost_at(ranked, row + (!found && row >= own ? 1 : 0), expected.best[row]));
    }
    CHECK(ranked[own].ns ==
          predict(request.op, request.schedule, request.device, f.study->calibration)
              .cost(ranked.variant())
              .kernel.value);
    CHECK(f.parts().text().toStdString().find(parts_text(priced)) != std::string::npos);
    CHECK(f.note().contains("Descent looked at " +
                            gui::count_text(expected.evaluated + expected.not_priced)));

    // A column for each part beside the paper's.
    const RankingRows& rows = f.panel.rows();
    const int first = RankingColumn::first_pattern + 2;
    REQUIRE(rows.columns() == first + static_cast<int>(further.size()));
    std::set<std::string> values;
    for (std::size_t i = 0; i < further.size(); ++i) {
        const int column = first + static_cast<int>(i);
        const SchedulePart& part = schedule_part(further[i]);
        CHECK(rows.title(column) == std::string(1, part.key) + ", " + part.name);
        for (std::size_t row = 0; row < rows.size(); row += 53) {
            const std::string value = part.write(rows.ranked->schedule(row));
            CHECK(rows.text(row, column) == (value.empty() ? "–" : value));
            values.insert(part.key + value);
        }
        f.table().sortByColumn(column, Qt::DescendingOrder); // by number where it is one
        if (part.kind == SchedulePart::Kind::number) {
            double before = rows.number(f.panel.shown().front(), column);
            for (const std::size_t row : f.panel.shown()) {
                CHECK(rows.number(row, column) <= before);
                before = rows.number(row, column);
            }
        }
    }
    CHECK(values.size() > further.size()); // not the same in all rows
    const std::string refused = refused_parts(request.op, request.device);
    for (const QAction* entry : f.parts().menu()->actions()) {
        if (entry->isCheckable()) {
            const std::string text = entry->text().toStdString();
            CHECK((text.find("(not all priced)") != std::string::npos) ==
                  (refused.find(text[0]) != std::string::npos));
            CHECK(entry->isChecked() == (priced.find(text[0]) != std::string::npos));
        }
    }

    SECTION("TMModel's are ranked as a whole, and what is known of a configuration goes with it")
    {
        std::optional<std::size_t> both; // a row whose configuration is in either space
        const ConfigurationSpace paper = configuration_space(request.op, request.device);
        for (std::size_t row = 0; row < rows.size() && !both; ++row) {
            both = index_of(paper, rows.ranked->schedule(row)) ? std::optional(row) : std::nullopt;
        }
        REQUIRE(both);
        const Schedule schedule = rows.ranked->schedule(*both);
        emit f.session.measured(schedule, {777}, "a device");
        f.parts().menu()->actions()[1]->trigger();
        f.wait();
        CHECK(static_cast<std::int64_t>(f.panel.shown().size()) == f.study->ranking.space);
        CHECK(f.panel.rows().columns() == first);
        CHECK_FALSE(f.note().contains("Descent"));
        CHECK(f.note().contains("the study's own is rank"));
        CHECK(f.panel.rows().measured->at(*index_of(paper, schedule)).ns == 777);
        f.parts().menu()->actions()[0]->trigger(); // and back
        f.wait();
        CHECK(f.panel.shown().size() == expected.best.size() + (found ? 0 : 1));
        CHECK(f.panel.rows().number(*both, RankingColumn::measured) == 777);
    }
    SECTION("another variant descends again")
    {
        auto& variant = f.find<QComboBox>("ranking_variant");
        variant.setCurrentText("refined");
        emit variant.activated(variant.currentIndex());
        f.wait();
        CHECK(f.panel.rows().ranked->variant() == ModelVariant::refined);
        const Ranking other = descend(); // whose order leaves out what differs by rounding alone
        const RankedSpace& anew = *f.panel.rows().ranked;
        const bool there = std::ranges::find(other.best, request.schedule,
                                             &RankedConfiguration::schedule) != other.best.end();
        REQUIRE(anew.size() == other.best.size() + (there ? 0 : 1));
        const std::size_t place =
            anew.row_of(index_of(*anew.space(), request.schedule).value()).value();
        for (const std::size_t row :
             {std::size_t{0}, other.best.size() / 2, other.best.size() - 1}) {
            CHECK(f.panel.rows().number(row + (!there && row >= place ? 1 : 0),
                                        RankingColumn::predicted) ==
                  Approx(other.best[row].cost.value));
        }
    }
    SECTION("parts are ticked one by one; what is cancelled leaves them as they were")
    {
        for (QAction* entry : f.parts().menu()->actions()) {
            if (entry->text().startsWith(QString(QChar::fromLatin1(further[0])) + ":")) {
                entry->setChecked(false);
            }
        }
        std::string fewer = priced;
        fewer.erase(fewer.find(further[0]), 1);
        CHECK(std::set<char>(f.parts().parts().begin(), f.parts().parts().end()) ==
              std::set<char>(fewer.begin(), fewer.end()));
        f.panel.cancel();
        f.wait();
        CHECK(f.parts().parts().empty()); // those that are priced, as before
        f.parts().choose("TGP");
        f.wait();
        const SearchedParts& searched = f.panel.rows().ranked->searched();
        CHECK(searched.parts == "TGP");
        CHECK(searched.looked_at - searched.not_priced ==
              static_cast<std::int64_t>(f.panel.rows().size()));
        CHECK(f.note().contains("not priced") == (searched.not_priced > 0));
        for (int place = 0; place < 20; ++place) {
            CHECK(f.schedule(place).patterns == request.op.default_schedule.patterns);
        }
    }
}

TEST_CASE("what is not priced is said in a line")
{
    SearchedParts searched{.parts = "ATWGS", .configurations = 1'000'000, .looked_at = 2'000};
    CHECK_FALSE(searched.whole());
    CHECK(searched.note() == "Descent looked at 2,000 of 1,000,000 configurations");
    searched.not_priced = 30;
    searched.refusal = "S: no price";
    CHECK(searched.note() ==
          "Descent looked at 2,000 of 1,000,000 configurations; 30 not priced, e.g. S: no price");
    searched = {
        .parts = "TG", .configurations = 5, .looked_at = 5, .not_priced = 1, .refusal = "too wide"};
    CHECK(searched.whole());
    CHECK(searched.note() == "1 not priced, e.g. too wide");
}
