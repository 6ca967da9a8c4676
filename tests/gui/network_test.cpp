#include "base/atomic_file.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "gui/network/network_bars.hpp"
#include "gui/network/network_model.hpp"
#include "gui/network/network_panel.hpp"
#include "gui/plots/plot_view.hpp"
#include "gui/store/store_model.hpp"
#include "gui/widgets/controls.hpp"
#include "networks/models/builder.hpp"
#include "networks/models/models.hpp"
#include "networks/onnx/write_onnx.hpp"
#include "networks/passes/simplify.hpp"
#include "tests/gui/opencl_for_tests.hpp"
#include "tests/gui/window_fixture.hpp"
#include "traces/access_walk.hpp"
#include "traces/launch_source.hpp"
#include "workbench/study/checked_run.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace texelscope;
using namespace texelscope::gui;
using Catch::Contains;

namespace {

constexpr const char* small_network = "mlp-16-16-16-16";

/// A convolution over eight channels, softmax along the rows, which asks for other texels, and both
/// of them as one tensor.
std::string mixed_network(const QTemporaryDir& folder, const char* name = "mixed.onnx")
{
    networks::Builder builder("mixed", 3);
    const networks::ValueId x = builder.input("x", {1, 4, 8, 8});
    const networks::ValueId conv = builder.conv(x, {.outputs = 8, .kernel = {3, 3}, .pad = {1, 1}});
    networks::Attributes axis;
    axis.set("axis", std::int64_t{-1});
    const networks::ValueId softmax = builder.node("Softmax", {conv}, axis);
    networks::Attributes channels;
    channels.set("axis", std::int64_t{1});
    const networks::ValueId joined = builder.node("Concat", {conv, softmax}, channels);
    const std::string path = folder.filePath(name).toStdString();
    write_onnx(std::move(builder).finish(joined), path);
    return path;
}

NetworkResult judged(const std::string& model, bool simulate = false)
{
    NetworkRequest request;
    request.model = model;
    request.simulate = simulate;
    return judge_network(request);
}

/// The mixed network, judged once for all tests.
const std::shared_ptr<const NetworkResult>& mixed()
{
    static const QTemporaryDir folder;
    static const auto result = std::make_shared<const NetworkResult>(judged(mixed_network(folder)));
    return result;
}

std::string text_of(LoopNest nest)
{
    nest.operator_text.clear();
    nest.schedule_text.clear();
    return opencl_text(nest, TexelBackend::native);
}

struct NetworkFixture : test::PanelFixture<NetworkPanel> {
    NetworkFixture() : PanelFixture({1080, 700}) {}
    void choose(const std::string& model)
    {
        find<QComboBox>("network_model").setCurrentText(model.c_str());
    }
    void run()
    {
        const auto before = ended.count();
        click("network_run");
        REQUIRE(wait_for_end(before + 1));
    }
    QTableView& table() { return find<QTableView>("network_table"); }
    PlotCanvas& canvas(const char* plot) { return find<PlotView>(plot).canvas(); }
    std::string note() { return find<QLabel>("network_note").text().toStdString(); }
};

} // namespace

TEST_CASE("a network is a well-behaved model that says what the library does")
{
    NetworkModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    CHECK(model.rowCount() == 0);
    const auto result = std::make_shared<const NetworkResult>(judged(small_network, true));
    model.set_result(result);

    const networks::Graph graph = simplified(networks::find_model(small_network)->make(1, 1));
    const DeviceProfile device = find_profile("adreno-740");
    const PredictedPlan plan = best_plan(graph, device);
    const std::vector<SimulatedKernel> simulated =
        simulate_network(plan.plan, device, NetworkRequest().most_accesses);
    REQUIRE(model.rowCount() == static_cast<int>(plan.plan.kernels.size()));
    double whole = 0;
    for (const SimulatedKernel& each : simulated) {
        whole += each.time.value().value;
    }
    for (int row = 0; row < model.rowCount(); ++row) {
        const auto k = static_cast<std::size_t>(row);
        const networks::PlannedKernel& planned = plan.plan.kernels[k];
        const auto text = [&](int column) {
            return model.index(row, column).data().toString().toStdString();
        };
        const auto number = [&](int column) {
            return model.index(row, column).data(NetworkModel::sort_role).toDouble();
        };
        CHECK(text(NetworkModel::kernel_column) == std::to_string(row));
        CHECK(text(NetworkModel::computes_column) == planned.kernel.op.name);
        CHECK(text(NetworkModel::shape_column) == "1x16");
        CHECK(text(NetworkModel::configuration_column) == to_string(planned.schedule));
        CHECK(text(NetworkModel::writes_column) ==
              to_string(planned.nest.output.memory) + " " +
                  to_string(planned.nest.output.layout->pattern));
        CHECK(text(NetworkModel::reads_column) ==
              to_string(planned.nest.inputs[0].memory) + " " +
                  to_string(planned.nest.inputs[0].layout->pattern));
        CHECK(number(NetworkModel::predicted_column) == plan.predicted[k].value);
        CHECK(number(NetworkModel::simulated_column) == simulated[k].time->value);
        CHECK(number(NetworkModel::share_column) == Approx(simulated[k].time->value / whole));
        const CacheStatistics& l2 = simulated[k].l2;
        REQUIRE(l2.lookups > 0);
        CHECK(number(NetworkModel::l2_column) ==
              Approx(static_cast<double>(l2.hits) / static_cast<double>(l2.lookups)));
        CHECK(text(NetworkModel::measured_column) == "-");
        CHECK_FALSE(model.index(row, NetworkModel::reads_column)
                        .data(Qt::ToolTipRole)
                        .toString()
                        .isEmpty());
    }
    CHECK(model.has_column(NetworkModel::simulated_column));
    CHECK_FALSE(model.has_column(NetworkModel::measured_column));
    CHECK_FALSE(model.has_column(NetworkModel::error_column));
    CHECK_THAT(
        summary_text(*result).toStdString(),
        Contains(std::string(small_network) + ", batch 1, on adreno-740: 3 kernels; predicted ") &&
            Contains("simulated ") && Contains("needed at once"));

    const std::string csv = network_csv(*result);
    CHECK_THAT(
        csv,
        Catch::StartsWith(
            "kernel,computes,conversion,shape,pass,layer,configuration,reads,writes,predicted_ns,"
            "simulated_ns,measured_ns,share,l1_hits,l2_hits,kept_bytes,error\n0,"));
    CHECK(std::ranges::count(csv, '\n') == model.rowCount() + 1);
    for (const auto& [id, numbers] : result->judged.graph.constants) {
        CHECK(numbers.empty()); // weights would be most of what is kept
    }
    model.set_result(nullptr);
    CHECK(model.rowCount() == 0);
}

TEST_CASE("conversions of a network are marked")
{
    NetworkModel model;
    const std::shared_ptr<const NetworkResult>& result = mixed();
    model.set_result(result);
    int conversions = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
        const bool conversion = result->kernels()[static_cast<std::size_t>(row)].conversion;
        const QModelIndex index = model.index(row, NetworkModel::computes_column);
        conversions += conversion ? 1 : 0;
        CHECK(index.data().toString().startsWith(u'⇄') == conversion);
        CHECK(index.data(Qt::FontRole).value<QFont>().italic() == conversion);
        CHECK(index.data(Qt::ToolTipRole).toString().startsWith("stores a value otherwise") ==
              conversion);
    }
    CHECK(conversions > 0);
    CHECK_THAT(summary_text(*result).toStdString(),
               Contains("mixed, batch 1") &&
                   Contains(std::to_string(conversions) + " of them conversions"));
    CHECK_THAT(network_csv(*result), Contains("Convert,yes,") && Contains("Softmax,no,"));
}

TEST_CASE("a network that is trained has passes, and layers whose times are those of their kernels")
{
    NetworkRequest request;
    request.model = small_network;
    request.training.emplace();
    const auto result = std::make_shared<const NetworkResult>(judge_network(request));
    NetworkModel kernels;
    kernels.set_result(result);
    CHECK(kernels.has_column(NetworkModel::pass_column));
    std::map<std::string, double> of_pass;
    std::set<std::string> layers;
    for (int row = 0; row < kernels.rowCount(); ++row) {
        of_pass[kernels.index(row, NetworkModel::pass_column).data().toString().toStdString()] +=
            kernels.index(row, NetworkModel::predicted_column)
                .data(NetworkModel::sort_role)
                .toDouble();
        layers.insert(
            kernels.index(row, NetworkModel::layer_column).data().toString().toStdString());
    }
    CHECK(of_pass["forward"] > 0);
    CHECK(of_pass["backward"] > of_pass["forward"]);
    LayersModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.set_result(result);
    REQUIRE(model.rowCount() == static_cast<int>(layers.size()));
    std::map<std::string, double> sums;
    double kept = 0;
    for (int column = 0; column < model.columnCount(); ++column) {
        const std::string heading =
            model.headerData(column, Qt::Horizontal).toString().toStdString();
        for (int row = 0; row < model.rowCount(); ++row) {
            CHECK(layers.contains(model.index(row, 0).data().toString().toStdString()));
            const double number = model.index(row, column).data(NetworkModel::sort_role).toDouble();
            sums[heading] += std::isfinite(number) ? number : 0;
            kept += heading == "Kept" && std::isfinite(number) ? number : 0;
        }
    }
    CHECK(sums["Forward, predicted"] == Approx(of_pass["forward"]));
    CHECK(sums["Backward, predicted"] == Approx(of_pass["backward"]));
    CHECK(kept > 0); // what the layers read is kept for the gradients of their weights
    CHECK_THAT(summary_text(*result).toStdString(),
               Contains("predicted forward") && Contains("are kept for the backward"));
}

TEST_CASE("a network runs in the background, and its kernels are marked in table and plots alike")
{
    NetworkFixture f;
    CHECK_THAT(f.note(), Contains("adreno-740"));
    CHECK_FALSE(f.find<QPushButton>("network_study").isEnabled());
    f.choose(small_network);
    f.find<QCheckBox>("network_simulate").setChecked(true);
    f.find<QSpinBox>("network_accesses").setValue(0);
    f.run();
    REQUIRE(f.panel.result());
    const NetworkResult& shown = *f.panel.result();
    CHECK(shown.request.most_accesses == 0);
    CHECK(network_csv(shown) == network_csv(judge_network(shown.request)));
    CHECK(f.find<QLabel>("network_summary").text() == summary_text(shown));
    CHECK(f.table().model()->rowCount() == 3);
    CHECK(f.table().isColumnHidden(NetworkModel::measured_column));
    CHECK_FALSE(f.table().isColumnHidden(NetworkModel::simulated_column));

    // The bars have the heights of the table's numbers.
    PlotCanvas& times = f.canvas("network_times_plot");
    REQUIRE(times.plot());
    const std::vector<PanelPlot::Bars> bars = times.plot()->panels.front().bars;
    REQUIRE(bars.size() == 2);
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(bars[0].points[k].y == shown.judged.planned.predicted[k].value);
        CHECK(bars[1].points[k].y == shown.judged.simulated[k].time->value);
    }
    f.find<QComboBox>("network_bars").setCurrentIndex(1);
    double shares = 0;
    const PanelPlot of_shares = *times.plot();
    for (const PanelPlot::Point& point : of_shares.panels.front().bars[1].points) {
        shares += point.y;
    }
    CHECK(shares == Approx(100));
    const PlotCanvas& memory = f.canvas("network_memory_plot");
    CHECK(memory.plot()->panels.front().bars.front().points[2].about ==
          "kernel 2, Gemm: " + bytes_text(Bytes{shown.memory.alive[2]}).toStdString() +
              " needed while it runs");

    // From the table to the plots.
    f.table().selectRow(1);
    REQUIRE(times.marked().size() == 1);
    CHECK(times.marked().front().low == 2.5);
    CHECK(times.marked().front().high == 4.5);
    REQUIRE(memory.marked().size() == 1);
    CHECK(memory.marked().front().low == 1.5);
    CHECK(f.find<QPushButton>("network_study").isEnabled());
    // what is marked is where the kernel's bars are
    for (const PlacedBar& bar : times.shown().placed.bars) {
        const double middle = times.shown().placed.x.value_at(
            (bar.box.corner.x + bar.box.width / 2 - times.shown().placed.areas[0].corner.x) /
            times.shown().placed.areas[0].width);
        CHECK((middle > 2.5 && middle < 4.5) == (bar.number == 1));
    }
    // And back, with the rows in another order.
    f.table().sortByColumn(NetworkModel::kernel_column, Qt::DescendingOrder);
    const auto bar = std::ranges::find_if(times.shown().placed.bars, [](const PlacedBar& each) {
        return each.number == 2 && each.series == 1;
    });
    REQUIRE(bar != times.shown().placed.bars.end());
    const QRectF box = times.shown().to_widget(bar->box);
    QTest::mouseClick(&times, Qt::LeftButton, {},
                      QPointF(box.center().x(), box.bottom() - 1).toPoint());
    REQUIRE(f.table().selectionModel()->selectedRows().size() == 1);
    CHECK(f.table().selectionModel()->selectedRows().front().data() == "2");
    CHECK(memory.marked().front().low == 3.5);
}

TEST_CASE("the table of a network is copied and exported with numbers")
{
    NetworkFixture f;
    const QTemporaryDir folder;
    CHECK_FALSE(f.find<QPushButton>("network_copy").isEnabled());
    f.choose(small_network);
    f.run();
    f.click("network_copy");
    CHECK(QGuiApplication::clipboard()->text().toStdString() == network_csv(*f.panel.result()));
    f.panel.export_table(folder.filePath("a.csv").toStdString());
    QFile file(folder.filePath("a.csv"));
    REQUIRE(file.open(QIODevice::ReadOnly));
    CHECK(file.readAll().toStdString() == network_csv(*f.panel.result()));
    f.panel.export_table(folder.filePath("no/a.csv").toStdString());
    CHECK_THAT(f.note(), Contains("a.csv") && !Contains("\n"));
}

TEST_CASE("a network that is cancelled or superseded leaves the one before")
{
    NetworkFixture f;
    f.choose(small_network);
    f.run();
    const auto before = f.panel.result();
    f.choose("resnet-18");
    f.click("network_run");
    CHECK(f.panel.running());
    CHECK(f.session.jobs().cancel_latest()); // as Esc does
    REQUIRE(f.wait_for_end(2));
    CHECK(f.note() == "Cancelled.");
    CHECK(f.panel.result() == before);

    f.click("network_run");
    f.choose("mlp-16-16");
    f.run(); // in its place
    CHECK(f.ended.count() == 3);
    CHECK(f.panel.result()->request.model == "mlp-16-16");
}

TEST_CASE("what is wrong with a network is one line")
{
    NetworkFixture f;
    const QTemporaryDir folder;
    const auto fails = [&](const QString& path, const char* why) {
        const auto before = f.ended.count();
        f.panel.open(path);
        REQUIRE(f.wait_for_end(before + 1));
        CHECK_THAT(f.note(), Contains(why) && !Contains("\n"));
        CHECK_FALSE(f.panel.result());
    };
    fails(folder.filePath("gone.onnx"), "gone.onnx");
    write_file_atomically(folder.filePath("cut.onnx").toStdString(),
                          std::string("\x08\x09\x12\x40words"));
    fails(folder.filePath("cut.onnx"), "cut.onnx");
    CHECK(f.find<QComboBox>("network_model").currentText() == "cut.onnx");
    f.find<QComboBox>("network_opencl").setEditText("ssh:");
    fails(QString::fromStdString(mixed_network(folder)), "ssh");
}

TEST_CASE("a network runs on a device, and every tensor is held to the reference")
{
    if (test::cpu_devices().empty()) {
        return;
    }
    NetworkFixture f;
    f.session.find_devices();
    auto& device = f.find<QComboBox>("network_opencl");
    REQUIRE(test::wait_until([&] { return device.count() > 2; }));
    CHECK_FALSE(f.find<QCheckBox>("network_check").isEnabled()); // none is chosen
    device.setCurrentIndex(0);
    f.find<QCheckBox>("network_check").setChecked(true);
    f.choose(small_network);
    f.run();
    REQUIRE(f.panel.result());
    const NetworkMeasurement& measured = f.panel.result()->judged.measured.value();
    CHECK(measured.failed() == 0);
    CHECK_FALSE(f.table().isColumnHidden(NetworkModel::error_column));
    const auto index = [&](int column) { return f.table().model()->index(1, column); };
    CHECK(index(NetworkModel::measured_column).data(NetworkModel::sort_role).toDouble() ==
          measured.kernel_ns[1]);
    CHECK(index(NetworkModel::error_column).data(NetworkModel::sort_role).toDouble() <
          allowed_tensor_error(Storage::fp32));
    CHECK(index(NetworkModel::share_column).data(NetworkModel::sort_role).toDouble() ==
          Approx(measured.kernel_ns[1] / measured.in_kernels()));
    CHECK_THAT(f.find<QLabel>("network_summary").text().toStdString(),
               Contains("3 of 3 tensors are right"));
}

TEST_CASE("every kernel of a network runs alone as it is studied")
{
    const auto devices = test::cpu_devices();
    if (devices.empty()) {
        return;
    }
    const NetworkResult& network = *mixed();
    const OpenClDevice device(std::to_string(devices.front().index));
    for (std::size_t k = 0; k < network.kernels().size(); ++k) {
        const StudyRequest request = to_request(study_of_kernel(network, k));
        CAPTURE(to_string(request.op), to_string(request.schedule));
        const LoopNest nest = loop_nest(request.op, request.schedule);
        CHECK(text_of(nest) == text_of(network.kernels()[k].nest));
        const auto inputs = random_inputs(request.op, 1);
        if (network.kernels()[k].kernel.op.name == "Concat") { // in parts
            CHECK_THROWS_WITH(make_reference(request.op, inputs),
                              Contains("a part of a value") && !Contains("\n"));
            continue;
        }
        const Reference reference = make_reference(request.op, inputs);
        const CheckedRun run =
            run_checked(request.op, nest, device, inputs, reference, {.warm_up = 0, .samples = 1});
        CHECK(run.check.passed);
        std::vector<float> wrong = run.output;
        wrong.back() += 1e-3F * reference.magnitudes.back();
        CHECK_FALSE(
            check_output(wrong, reference.magnitudes, reference.values, {request.op.tolerance, 0})
                .passed);
    }
}

TEST_CASE(
    "a double click opens a kernel of a network as a study, with the reads that the network makes")
{
    test::WindowFixture f;
    auto& panel = f.find<NetworkPanel>("network_panel");
    auto& dock = f.find<QDockWidget>("network_dock");
    f.window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&f.window));
    QTest::keyClick(&f.window, Qt::Key_F4);
    REQUIRE(dock.isVisible());
    QSignalSpy ended(&panel, &NetworkPanel::ended);
    const std::string path = mixed_network(f.folder);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(path))});
    QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&f.window, &enter);
    QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&f.window, &drop);
    CAPTURE(f.error().toStdString(), f.find<QLabel>("network_note").text().toStdString());
    REQUIRE(test::wait_until([&] { return ended.count() == 1; }));
    REQUIRE(panel.result());
    const NetworkResult network = *panel.result();

    auto& table = f.find<QTableView>("network_table");
    std::vector<int> reading; // images: buffers have no heat maps
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        const std::vector<Operand>& inputs =
            network.kernels()[static_cast<std::size_t>(row)].nest.inputs;
        if (std::ranges::any_of(
                inputs, [](const Operand& input) { return input.memory == Memory::image; })) {
            reading.push_back(row);
        }
    }
    REQUIRE(reading.size() >= 2);
    for (const int row : {reading.front(), reading.back()}) {
        dock.show();
        table.selectRow(row);
        const auto before = f.shown.count();
        if (row == reading.front()) {
            const QPoint cell = table.visualRect(table.model()->index(row, 1)).center();
            QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, cell);
            QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, cell);
        } else {
            QTest::keyClick(&table, Qt::Key_Return);
        }
        REQUIRE(test::wait_until([&] { return f.shown.count() > before; }));
        CHECK(dock.isHidden()); // or it would cover the heat map

        const auto k = static_cast<std::size_t>(row);
        const networks::PlannedKernel& planned = network.kernels()[k];
        const StudyResult& study = *f.window.session().study();
        CHECK(study.request.op.name ==
              "mixed kernel " + std::to_string(row) + ": " + planned.kernel.op.name);
        CHECK(text_of(study.nest) == text_of(planned.nest));
        CHECK(study.request.device.name == network.judged.profile);
        std::map<std::pair<int, std::pair<int, int>>, std::int64_t> reads;
        const auto source = make_trace_source(launch_of(planned.nest));
        AccessWalk walk(*source, study.options.machine.warp_size);
        while (walk.next()) {
            for (const LaneRead& lane : walk.access().lanes) {
                ++reads[{lane.image, {lane.texel.x, lane.texel.y}}];
            }
        }
        CHECK_FALSE(reads.empty());
        for (std::size_t i = 0; i < study.images.size(); ++i) {
            const StudyImage& image = study.images[i];
            for (std::int32_t y = 0; y < image.image.extent.height; ++y) {
                for (std::int32_t x = 0; x < image.image.extent.width; ++x) {
                    const auto found = reads.find({static_cast<int>(i), {x, y}});
                    if (image.map(HeatQuantity::reads).at({x, y}) !=
                        (found == reads.end() ? 0 : found->second)) {
                        FAIL("reads of texel " << x << "," << y << " of image " << i);
                    }
                }
            }
        }
    }
}

TEST_CASE("the study of a network's kernel is written like another, and is in no file")
{
    test::WindowFixture f;
    const NetworkResult& network = *mixed();
    const StudyForm form = study_of_kernel(network, 0);
    StudyPanel& panel = f.panel();
    panel.set_form(form);
    CHECK(panel.form() == form);
    CHECK(f.error().isEmpty());
    CHECK(f.find<QLineEdit>("shape").isReadOnly());
    CHECK(f.find<QComboBox>("operator").currentText() == "mixed kernel 0: Conv");
    f.run();
    // Another configuration of it: the reads lie otherwise.
    f.find<QComboBox>("pattern_X").setCurrentText("block8");
    emit f.find<QComboBox>("pattern_X").activated(f.find<QComboBox>("pattern_X").currentIndex());
    const StudyRequest other = panel.request();
    CHECK(other.schedule.patterns[0] == AccessPattern::block8);
    CHECK(loop_nest(other.op, other.schedule).inputs[0].layout->pattern == AccessPattern::block8);

    CHECK_THROWS_WITH(to_xml(form), Contains("mixed kernel 0") && !Contains("\n"));
    CHECK_FALSE(study_of(StoreRow{}, form).form.given);
    f.find<QComboBox>("operator").setCurrentText("softmax");
    CHECK_FALSE(panel.form().given);
    CHECK_FALSE(f.find<QLineEdit>("shape").isReadOnly());
    CHECK(f.error().isEmpty());
    panel.set_form(study_of_kernel(network, 1)); // takes the place of the other in the list
    CHECK(f.find<QComboBox>("operator").findText("mixed kernel 0: Conv") < 0);
    panel.set_form(test::small_form());
    CHECK(panel.form().op == "matmul");
    CHECK(panel.form().given == nullptr);
}

TEST_CASE("two kernels are the same where all that their spaces depend on is")
{
    const NetworkResult& network = *mixed();
    const Operator op = *study_of_kernel(network, 0).given;
    Operator other = op;
    CHECK(same_operator(op, other));
    other.default_schedule.patterns[0] = AccessPattern::block8;
    CHECK_FALSE(same_operator(op, other));
    other = op;
    other.inputs[0].shape.back() += 1;
    CHECK_FALSE(same_operator(op, other));
    CHECK_FALSE(same_operator(op, *study_of_kernel(network, 1).given));
}
