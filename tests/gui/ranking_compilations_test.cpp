#include "base/csv.hpp"
#include "base/error.hpp"
#include "devices/compilers/compiled_kernel.hpp"
#include "gui/plots/scatter_plot.hpp"
#include "gui/ranking/parts_choice.hpp"
#include "gui/ranking/ranking_compilations.hpp"
#include "gui/ranking/ranking_filter.hpp"
#include "gui/ranking/ranking_panel.hpp"
#include "tests/gui/fake_compiler.hpp"
#include "tests/gui/small_study.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

struct CompiledRankingFixture : test::PanelFixture<RankingPanel> {
    test::FakeCompiler compiler;
    qsizetype seen = 0; ///< ends of jobs that were waited for

    CompiledRankingFixture() : PanelFixture({1100, 400})
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
    QString note() { return find<QLabel>("ranking_note").text(); }
    void compile(std::initializer_list<int> places)
    {
        table().clearSelection();
        for (const int place : places) {
            table().selectionModel()->select(table().model()->index(place, 0),
                                             QItemSelectionModel::Select |
                                                 QItemSelectionModel::Rows);
        }
        click("ranking_compile");
    }
};

} // namespace

TEST_CASE("selected rows are compiled, and what the compiler says fills in")
{
    CompiledRankingFixture f;
    CHECK(f.table().isColumnHidden(RankingColumn::registers));
    f.compile({0, 4});
    f.wait();
    CHECK(f.note().toStdString() == "2 compiled.");
    for (const std::size_t row : {0U, 4U}) {
        CHECK(f.panel.rows().number(row, RankingColumn::registers) == 64);
        CHECK(f.panel.rows().number(row, RankingColumn::warps) == 12);
        CHECK(f.panel.rows().number(row, RankingColumn::spills) == 0);
        CHECK(f.panel.rows().compilation(row)->about.find("limited by registers") !=
              std::string::npos);
    }
    CHECK(f.panel.rows().compilation(1) == nullptr);
    CHECK_FALSE(f.table().isColumnHidden(RankingColumn::registers));
    CHECK(f.table().model()->index(4, RankingColumn::registers).data().toString() == "64");
    const auto lines = parse_csv(f.panel.csv(true), "csv");
    REQUIRE(lines.size() == 3);
    CHECK(std::vector<std::string>(lines[1].end() - 3, lines[1].end()) ==
          std::vector<std::string>{"64", "12", "0"});

    f.compiler.print("softmax_dx-adreno-740");
    f.compile({7});
    f.wait();
    CHECK(f.panel.rows().number(7, RankingColumn::spills) == 216);
    CHECK(f.panel.rows().number(4, RankingColumn::spills) == 0);
    SECTION("conditions can ask for it")
    {
        f.find<ConditionEdit>("ranking_filter").setText("compiled_spills == 0");
        CHECK(f.panel.shown() == std::vector<std::size_t>{0, 4});
        f.find<ConditionEdit>("ranking_filter").setText("compiled_registers > 64 or tile_x == 4");
        CHECK(std::count(f.panel.shown().begin(), f.panel.shown().end(), 7U) == 1);
        CHECK(f.panel.shown().size() <= 3);
        CHECK(f.find<ConditionEdit>("ranking_filter").toolTip().contains("not compiled"));
    }
    SECTION("rows are ordered by it")
    {
        f.table().sortByColumn(RankingColumn::registers, Qt::DescendingOrder);
        CHECK(std::vector<std::size_t>(f.panel.shown().begin(), f.panel.shown().begin() + 3) ==
              std::vector<std::size_t>{7, 0, 4});
    }
    SECTION("the plot has it")
    {
        f.click("ranking_show_plot");
        auto& y = f.find<QComboBox>("ranking_y");
        y.setCurrentIndex(y.findData(static_cast<int>(RankingColumn::registers)));
        const auto& points = f.find<ScatterPlot>("ranking_plot").data().points;
        REQUIRE_FALSE(points.empty());
        CHECK(std::all_of(points.begin(), points.end(), [](const ScatterPoint& point) {
            return point.y == 64 || point.y == 192;
        }));
    }
    SECTION("another variant of the model keeps it")
    {
        auto& variant = f.find<QComboBox>("ranking_variant");
        const auto index = (*f.panel.rows().ranked)[7].index;
        variant.setCurrentText("bottleneck");
        emit variant.activated(variant.currentIndex());
        f.wait();
        CHECK(f.panel.rows().compiled->at(index).spills == 216);
    }
}

TEST_CASE("rows that are being compiled can be cancelled, and the compiler is gone")
{
    CompiledRankingFixture f;
    f.compile({1});
    f.wait();
    f.compiler.hang();
    f.compile({0, 2});
    REQUIRE(test::wait_until([&] { return f.compiler.hangs(); }));
    CHECK(f.panel.running());
    CHECK(test::wait_until([&] { return f.note().contains("of 2"); }));
    f.click("ranking_cancel");
    f.wait();
    CHECK(f.note().toStdString() == "Cancelled: 0 compiled.");
    CHECK_FALSE(f.panel.running());
    // a killed process takes a while to be gone
    CHECK(test::wait_until([&] { return !f.compiler.hangs(); }));
    CHECK(f.panel.rows().compilation(0) == nullptr);
    CHECK(f.panel.rows().compilation(1) != nullptr);
}

TEST_CASE("without a compiler the ranking says what to do")
{
    const test::NoCompilers none;
    test::PanelFixture<RankingPanel> f;
    auto study = std::make_shared<StudyResult>(*f.study);
    for (const auto& [name, said] : {std::pair{"nvidia-h100", "no compiler for nvidia-h100"},
                                     std::pair{"mali-g76", "texelscope compile --setup"}}) {
        CAPTURE(name);
        study->request.device.name = name;
        const auto ends = f.ended.count();
        f.panel.show_study(std::make_shared<const StudyResult>(*study));
        REQUIRE(f.wait_for_end(ends + 1));
        f.find<QTableView>("ranking_table").selectRow(0);
        f.click("ranking_compile");
        CHECK(f.find<QLabel>("ranking_note").text().contains(said));
        CHECK_FALSE(f.panel.running());
    }
}

TEST_CASE("what the listing of the study's kernel says is put beside its configuration, also "
          "before there are rows")
{
    test::PanelFixture<RankingPanel> f;
    // of which all configurations are ranked
    f.find<PartsChoice>("ranking_parts").choose(paper_parts);
    f.session.run(f.study->request, {});
    REQUIRE(test::wait_until([&] { return f.session.study() != nullptr; }));
    CompiledKernel kernel;
    kernel.gpu = "adreno-740";
    kernel.registers = 40;
    kernel.warps = 7;
    kernel.warp_size = 128;
    kernel.spill_stores = 2;
    kernel.spill_loads = 3;
    emit f.session.compiled(f.study->request.schedule, kernel);
    REQUIRE(f.wait_for_end(1));
    const auto index = index_of(*f.panel.rows().ranked->space(), f.study->request.schedule);
    REQUIRE(index);
    const Compilation& found = f.panel.rows().compiled->at(*index);
    CHECK(found.registers == 40);
    CHECK(found.warps == 14); // of 64
    CHECK(found.spills == 5);
    // not in the space
    emit f.session.compiled(parse_schedule("A=row,row;T=3x5;W=7x1;G=7x1x1"), kernel);
    CHECK(f.panel.rows().compiled->size() == 1);
}

TEST_CASE("a kernel that does not compile is told of, and the others are there")
{
    const auto study = test::small_study();
    const ConfigurationSpace space = configuration_space(study->request.op, study->request.device);
    test::FakeCompiler compiler;
    CompilationInbox inbox;
    const auto compiled = [&](const std::vector<std::int64_t>& indices,
                              const StopToken& stop = {}) {
        return compile_configurations(study->request.op, study->request.device, space, indices,
                                      inbox, {}, stop);
    };
    CHECK(compiled({5}).error.empty());
    CHECK(inbox.take().size() == 1);
    compiler.refuse();
    const RowCount count = compiled({9, 5}); // of which one is known
    CHECK(count.done == 1);
    CHECK(count.error.find("no such type") != std::string::npos);
    CHECK(count.text("1 compiled").startsWith("1 compiled; not all: "));
    const auto found = inbox.take();
    REQUIRE(found.size() == 1);
    CHECK(found[0].first == 5);
    const RowCount stopped = compiled({5}, [] { return true; });
    CHECK(stopped.stopped);
    CHECK(stopped.done == 0);
}
