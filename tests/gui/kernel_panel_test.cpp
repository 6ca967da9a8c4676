#include "codegen/nest/loop_nest.hpp"
#include "gui/kernel/kernel_panel.hpp"
#include "gui/kernel/kernel_run_view.hpp"
#include "gui/kernel/listing_view.hpp"
#include "gui/kernel/opencl_device_box.hpp"
#include "gui/plots/plot_canvas.hpp"
#include "gui/plots/shown_plot.hpp"
#include "gui/study/session.hpp"
#include "tests/gui/fake_compiler.hpp"
#include "tests/gui/opencl_for_tests.hpp"
#include "tests/gui/small_study.hpp"

#include <QClipboard>
#include <QElapsedTimer>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

struct KernelPanelFixture : test::PanelFixture<KernelPanel> {
    KernelPanelFixture() : PanelFixture({420, 700}) {}
    void show(const LoopNest& nest)
    {
        panel.show_kernel(study->request.op, nest, opencl_text(nest, TexelBackend::native), 1,
                          "adreno-740");
    }
    void show_schedule(const std::string& schedule)
    {
        show(loop_nest(study->request.op, parse_schedule(schedule)));
    }
    QString note() { return find<KernelRunView>("kernel_run_view").note(); }
};

} // namespace

TEST_CASE("without a kernel or a device the panel says what to do")
{
    KernelPanelFixture f;
    CHECK_FALSE(f.find<QPushButton>("kernel_run").isEnabled());
    f.panel.run();
    CHECK(f.note().contains("F5"));
    f.show(f.study->nest);
    f.panel.show_devices({});
    CHECK(f.note().contains("pocl-opencl-icd"));
    f.panel.run();
    CHECK(f.note().contains("pocl-opencl-icd"));
    CHECK_FALSE(f.panel.running());
}

TEST_CASE("a kernel is run, timed and checked")
{
    const auto devices = test::cpu_devices();
    if (devices.empty()) {
        return;
    }
    KernelPanelFixture f;
    f.panel.show_devices(devices);
    f.show(f.study->nest);
    CHECK(f.find<QLabel>("kernel_launch").text().contains("local 8×8×1"));
    CHECK(f.find<QLabel>("kernel_images").text().contains("A 4×16"));
    f.find<QSpinBox>("kernel_samples").setValue(5);
    f.click("kernel_run");
    CHECK(f.find<QPushButton>("kernel_cancel").isEnabled());
    REQUIRE(f.wait_for_end(1));
    INFO(f.note().toStdString());
    CHECK(f.note().startsWith("5 samples on"));
    CHECK(f.find<QLabel>("kernel_time").text().contains("median"));
    CHECK(f.find<QLabel>("kernel_check").text().startsWith("passed"));
    CHECK(f.find<QPlainTextEdit>("kernel_log").isHidden());
    CHECK_FALSE(f.find<QPushButton>("kernel_cancel").isEnabled());

    SECTION("another kernel has not been run")
    {
        f.show_schedule("A=row,row;T=4x4;W=4x4;G=4x4x1");
        CHECK(f.find<QLabel>("kernel_time").isHidden());
        CHECK(f.note().contains("F6"));
    }
    SECTION("the latest run wins")
    {
        f.panel.run();
        f.panel.run();
        REQUIRE(f.wait_for_end(2));
        CHECK(f.note().startsWith("5 samples on"));
    }
}

TEST_CASE("a device is opened by the agent that the window was started with")
{
    Session session(test::small_form(), {.agent = "/nowhere/texelscope-agent"});
    const OpenClDeviceBox box(session.devices(), "none");
    CHECK(box.place().on.empty());
    CHECK(box.place().how.agent == "/nowhere/texelscope-agent");
    KernelPanel panel(session);
    const auto study = test::small_study();
    panel.show_kernel(study->request.op, study->nest,
                      opencl_text(study->nest, TexelBackend::native), 1, "adreno-740");
    OpenClDeviceInfo device;
    device.name = "A phone";
    panel.show_devices({device});
    QSignalSpy ended(&panel, &KernelPanel::ended);
    panel.run();
    REQUIRE((!ended.isEmpty() || ended.wait(60'000)));
    const QString note = panel.findChild<KernelRunView*>("kernel_run_view")->note();
    CHECK(note.contains("/nowhere/texelscope-agent"));
}

TEST_CASE("a run says whose clock timed it, and in which arithmetic")
{
    KernelRunView view;
    KernelRun run;
    run.run.measurement.samples_ns = {3000, 1000, 2000};
    run.flops = 4000;
    const auto& time = *view.findChild<QLabel*>("kernel_time");
    view.show_run(run);
    CHECK(time.text() == "median 2 µs, minimum 1 µs\nspread 200 %, 2.00 GFLOP/s");
    run.run.measurement.wall_clock = true;
    view.show_run(run);
    CHECK(time.text() ==
          "median 2 µs, minimum 1 µs, by the wall clock\nspread 200 %, 2.00 GFLOP/s");
    run.run.measurement.arithmetic = Precision::fp16;
    view.show_run(run);
    CHECK(time.text() == "median 2 µs, minimum 1 µs, by the wall clock\nspread 200 %, 2.00 "
                         "GFLOP/s, in half precision");
}

TEST_CASE("a kernel that does not build shows the log, and the panel goes on")
{
    const auto devices = test::cpu_devices();
    if (devices.empty()) {
        return;
    }
    KernelPanelFixture f;
    f.panel.show_devices(devices);
    LoopNest broken = f.study->nest;
    broken.body.emplace_back(NestText{"no_such_type nothing = 0;"});
    f.show(broken);
    f.panel.run();
    REQUIRE(f.wait_for_end(1));
    CHECK(f.note().startsWith("failed: the kernel does not build"));
    CHECK_FALSE(f.find<QPlainTextEdit>("kernel_log").isHidden());
    CHECK(f.find<QPlainTextEdit>("kernel_log").toPlainText().contains("no_such_type"));
    f.show(f.study->nest);
    CHECK(f.find<QPlainTextEdit>("kernel_log").isHidden());
    f.panel.run();
    REQUIRE(f.wait_for_end(2));
    CHECK(f.find<QLabel>("kernel_check").text().startsWith("passed"));
}

TEST_CASE("a run is cancelled within a moment, and another can follow")
{
    const auto devices = test::cpu_devices();
    if (devices.empty()) {
        return;
    }
    KernelPanelFixture f;
    f.panel.show_devices(devices);
    f.show(f.study->nest);
    f.find<QSpinBox>("kernel_samples").setValue(1000);
    f.panel.run();
    QTest::qWait(20);
    f.click("kernel_cancel");
    REQUIRE(f.wait_for_end(1));
    CHECK(f.note() == "Cancelled.");
    CHECK_FALSE(f.panel.running());
    f.find<QSpinBox>("kernel_samples").setValue(1);
    f.panel.run();
    REQUIRE(f.wait_for_end(2));
    CHECK(f.note().startsWith("1 samples on"));
}

TEST_CASE("a device that went away is a line, not an end")
{
    KernelPanelFixture f;
    OpenClDeviceInfo gone;
    gone.index = 4711;
    gone.name = "gone";
    f.panel.show_devices({gone});
    f.show(f.study->nest);
    f.panel.run();
    REQUIRE(f.wait_for_end(1));
    CHECK(f.note().contains("4711"));
}

TEST_CASE("a kept kernel is compared with later ones until the comparison ends")
{
    KernelPanelFixture f;
    auto& text = f.find<QPlainTextEdit>("kernel");
    auto& legend = f.find<QLabel>("kernel_legend");
    f.show_schedule("A=row,row;T=4x4;W=4x4;G=4x4x1");
    const QString first = text.toPlainText();
    CHECK(legend.isHidden());
    f.click("kernel_compare");
    CHECK_FALSE(legend.isHidden());
    CHECK(text.toPlainText() == first);
    CHECK(text.extraSelections().isEmpty());

    f.show_schedule("A=column,row;T=4x4;W=4x4;G=4x4x1");
    CHECK(legend.text().contains("A=row,row"));
    CHECK(legend.text().contains("A=column,row"));
    const QStringList lines = text.toPlainText().split('\n');
    const auto changed = std::count_if(lines.begin(), lines.end(), [](const QString& line) {
        return line.startsWith("+ ") || line.startsWith("- ");
    });
    CHECK(changed >= 2);
    CHECK(text.extraSelections().size() == changed);
    f.click("kernel_copy");
    CHECK(QGuiApplication::clipboard()->text().contains("A=column,row"));
    CHECK_FALSE(QGuiApplication::clipboard()->text().contains("A=row,row"));

    f.click("kernel_clear");
    CHECK(legend.isHidden());
    CHECK(text.toPlainText() == QGuiApplication::clipboard()->text());
    CHECK(text.extraSelections().isEmpty());
}

TEST_CASE("the kernel's text is saved, and an error is one line")
{
    KernelPanelFixture f;
    f.show(f.study->nest);
    const QTemporaryDir folder;
    f.panel.save(folder.filePath("kernel.cl").toStdString());
    QFile file(folder.filePath("kernel.cl"));
    REQUIRE(file.open(QIODevice::ReadOnly));
    CHECK(file.readAll().toStdString() == opencl_text(f.study->nest, TexelBackend::native));
    f.panel.save("/nowhere/at/all.cl");
    CHECK(f.note().contains("/nowhere/at/all.cl"));
    CHECK_FALSE(f.note().contains('\n'));
}

TEST_CASE("the listing is compiled while its part is open, and others are told of it")
{
    const test::FakeCompiler compiler;
    KernelPanelFixture f;
    QSignalSpy compiled(&f.session, &Session::compiled);
    auto& listing = f.find<ListingView>("listing_view");
    CHECK(listing.isHidden());
    f.show_schedule("A=row,row;T=4x4;W=4x4;G=4x4x1");
    CHECK_FALSE(listing.running());
    f.click("kernel_lists");
    CHECK_FALSE(listing.isHidden());
    REQUIRE(test::wait_until([&] { return compiled.count() == 1; }));
    CHECK(to_string(compiled[0][0].value<Schedule>()) == "A=row,row;T=4x4;W=4x4;G=4x4x1");
    CHECK(compiled[0][1].value<CompiledKernel>().registers == 64);
    f.show_schedule("A=column,row;T=4x4;W=4x4;G=4x4x1"); // a next one at once
    REQUIRE(test::wait_until([&] { return compiled.count() == 2; }));
    CHECK(to_string(compiled[1][0].value<Schedule>()) == "A=column,row;T=4x4;W=4x4;G=4x4x1");
    f.click("kernel_lists");
    CHECK(listing.isHidden());
    f.show_schedule("A=row,row;T=4x4;W=8x8;G=8x8x1");
    CHECK_FALSE(listing.running());

    // Beside the text where there is room for both, else in its place.
    auto& text = f.find<QPlainTextEdit>("kernel");
    CHECK_FALSE(text.isHidden());
    f.click("kernel_lists");
    CHECK(text.isHidden());
    f.panel.resize(1200, 700);
    CHECK_FALSE(text.isHidden());
    CHECK_FALSE(listing.isHidden());
    CHECK(listing.geometry().left() > text.geometry().right());
}

TEST_CASE("samples stand where their times are, and say them")
{
    PlotCanvas canvas;
    canvas.resize(300, 80);
    canvas.show_plot(samples_plot({1000, 3000, 2000}, 2000));
    const auto place_of = [&](std::size_t sample) {
        return canvas.to_widget(canvas.points().at(sample).at);
    };
    CHECK(place_of(0).x() < place_of(2).x());
    CHECK(place_of(2).x() == Approx((place_of(0).x() + place_of(1).x()) / 2));
    CHECK(place_of(0).y() < place_of(1).y());
    CHECK(canvas.tip_at(place_of(1)) == "Sample 2: 3 µs");
    CHECK(canvas.tip_at({1, 1}).isEmpty());
    const PlacedPlot same = placed(samples_plot({5, 5}, 5));
    CHECK(same.points[0].at.x == Approx(same.areas[0].corner.x + same.areas[0].width / 2));
    CHECK_FALSE(canvas.grab().isNull());
}

TEST_CASE("every control of the kernel panel has an accessible name")
{
    KernelPanelFixture f;
    for (const char* name : {"kernel_device", "kernel_samples", "kernel_run", "kernel_cancel",
                             "kernel_copy", "kernel_save", "kernel_compare", "kernel_clear",
                             "kernel_lists", "kernel", "kernel_log", "kernel_progress"}) {
        CAPTURE(name);
        CHECK_FALSE(f.find<QWidget>(name).accessibleName().isEmpty());
    }
}
