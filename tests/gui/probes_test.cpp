#include "base/atomic_file.hpp"
#include "gui/plots/plot_export.hpp"
#include "gui/plots/plot_view.hpp"
#include "gui/probes/probe_model.hpp"
#include "gui/probes/probes_panel.hpp"
#include "gui/widgets/result_table_model.hpp"
#include "tests/gui/small_study.hpp"
#include "workbench/probes/kept_probes.hpp"
#include "workbench/probes/probe_plot.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QTableView>
#include <QTemporaryDir>

using namespace texelscope;
using namespace texelscope::gui;
using Catch::Contains;

namespace {

/// Selects the row of a probe.
void choose(test::PanelFixture<ProbesPanel>& f, const std::string& probe)
{
    auto& list = f.find<QTableView>("probes_list");
    for (int row = 0; row < list.model()->rowCount(); ++row) {
        if (list.model()->index(row, 0).data().toString().toStdString() == probe) {
            list.selectRow(row);
            return;
        }
    }
    FAIL("no row of " << probe);
}

/// A record with one curve and one finding, in a folder as probe --out writes it.
ProbeRecord write_record(const std::string& folder, const Probe& probe)
{
    ProbeRecord record;
    record.name = probe.name;
    record.result.curves = {
        {"latency", "bytes", "ns", false, {{1, {10, 11, 12}}, {2, {20, 21, 22}}}, {}}};
    record.result.findings = {{"a.key", 3, "ns", "from nothing", std::pair{2.0, 4.0}}};
    TargetInfo info;
    info.name = "a device";
    write_file_atomically(probe_record_path(folder, record.name),
                          nlohmann::ordered_json{{"settings", {{"target", to_json(info)}}},
                                                 {"record", to_json(record)}}
                              .dump());
    return record;
}

} // namespace

TEST_CASE("the list of probes says what became of each")
{
    ProbeModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    REQUIRE(model.rowCount() == static_cast<int>(probes().size()));
    CHECK(model.index(0, ProbeModel::state_column).data().toString().isEmpty());
    ProbeRecord record;
    record.name = probes()[1].name;
    record.status = ProbeRecord::Status::skipped;
    record.reason = "for a reason";
    model.set_records({{record.name, record}});
    CHECK(model.index(0, ProbeModel::state_column).data().toString().isEmpty());
    CHECK(model.index(1, ProbeModel::state_column).data() == "skipped");
    CHECK(model.index(1, 0).data(Qt::ToolTipRole).toString().endsWith("for a reason"));
}

TEST_CASE("a folder of probes shows its plots and findings")
{
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    test::PanelFixture<ProbesPanel> f({1080, 700});
    CHECK_THROWS_WITH(f.panel.open_folder(path), Catch::Contains("no record of a probe"));
    CHECK(f.panel.device().records.empty());

    const ProbeRecord record = write_record(path, probes().front());
    f.panel.open_folder(path);
    const auto plots = plots_of(probes().front(), record.result, "a device");
    REQUIRE_FALSE(plots.empty());
    auto& canvas = f.find<PlotView>("probe_plot").canvas();
    REQUIRE(canvas.plot());
    CHECK(canvas.plot()->title == plots[0].plot.title);
    CHECK(plot_csv(*canvas.plot()) == plot_csv(plots[0].plot));
    auto& findings = f.find<ResultTableView>("probe_findings");
    CHECK(to_csv(findings.table()) ==
          "key,value,unit,interval,how\na.key,3,ns,2 to 4,from nothing\n");
    CHECK_THAT(f.find<QLabel>("probes_note").text().toStdString(), Contains("a device"));

    write_file_atomically(probe_record_path(path, probes()[1].name), "{}");
    CHECK_THROWS_WITH(f.panel.open_folder(path), Catch::Contains("no record of a probe"));
    CHECK(f.panel.device().records.size() == 1); // what was shown stays
}

TEST_CASE("a probe that runs in the window finds what the library does, with what it needs first")
{
    test::PanelFixture<ProbesPanel> f({1080, 700});
    choose(f, "registers"); // which needs warp.size
    f.click("probes_run");
    REQUIRE(f.wait_for_end(1));
    const ProbeRecords& records = f.panel.device().records;
    REQUIRE(records.size() == 2);
    REQUIRE(records.contains("warp-size"));
    REQUIRE(records.contains("registers"));
    const DeviceProfile profile = find_profile("adreno-740");
    Known known;
    learn(known, records.at("warp-size"));
    CHECK(known.at("warp.size") == profile.simulation.machine.warp_size);
    REQUIRE(records.at("registers").status == ProbeRecord::Status::done);
    CHECK(f.find<PlotView>("probe_plot").canvas().plot());
    CHECK(f.find<ResultTableView>("probe_findings").table().rows.size() ==
          records.at("registers").result.findings.size());

    // A run that is cancelled keeps what was there.
    f.click("probes_run_all");
    f.click("probes_cancel");
    REQUIRE(f.wait_for_end(2));
    CHECK_FALSE(f.panel.running());
    CHECK(f.panel.device().records.contains("registers"));
    CHECK_THAT(f.find<QLabel>("probes_note").text().toStdString(), Contains("Cancelled"));
}

TEST_CASE("a device that cannot be probed is one line")
{
    test::PanelFixture<ProbesPanel> f({1080, 700});
    choose(f, "warp-size");
    f.find<QComboBox>("probes_opencl").setEditText("ssh:");
    f.click("probes_run");
    REQUIRE(f.wait_for_end(1));
    const QString line = f.find<QLabel>("probes_note").text();
    CHECK_FALSE(line.isEmpty());
    CHECK_FALSE(line.contains(u'\n'));
    CHECK(f.panel.device().records.empty());
}
