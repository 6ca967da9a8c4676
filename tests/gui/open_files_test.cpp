#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "gui/cross_check/crosscheck_panel.hpp"
#include "gui/heat_map/heat_map_panel.hpp"
#include "gui/heat_map/playback_bar.hpp"
#include "gui/ranking/ranking_panel.hpp"
#include "gui/study/start_options.hpp"
#include "gui/study/study_files.hpp"
#include "gui/study/trace_strip.hpp"
#include "gui/widgets/controls.hpp"
#include "networks/models/models.hpp"
#include "networks/onnx/write_onnx.hpp"
#include "tests/gui/window_fixture.hpp"
#include "traces/access_walk.hpp"
#include "traces/formats/csv_trace.hpp"
#include "traces/formats/trace_copy.hpp"
#include "traces/launch_source.hpp"
#include "traces/native/file_stream.hpp"
#include "workbench/plots/html.hpp"

#include <catch2/catch.hpp>

#include <QComboBox>
#include <QDesktopServices>
#include <QFile>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <QUrl>
#include <map>
#include <ostream>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

std::unique_ptr<TraceSource> matmul(const std::string& shape)
{
    const Operator op = parse_operator("matmul", shape, {});
    return make_trace_source(launch_of(loop_nest(op, op.default_schedule)));
}

/// A native trace with one launch for each source.
void write_native_trace(const std::string& path, const std::vector<std::string>& shapes)
{
    TraceWriter writer(path, "test");
    for (const std::string& shape : shapes) {
        const auto source = matmul(shape);
        (void)write_native(writer, *source, traced_launch(*source));
    }
    writer.finish();
}

void write_csv_trace(const std::string& path, const std::string& shape)
{
    write_stream(path, [&](std::ostream& out) { (void)write_csv(out, *matmul(shape)); });
}

/// A folder and a window.
struct OpenFilesFixture : test::WindowFixture {
    void open(const char* name)
    {
        const auto before = shown.count();
        window.open(file(name));
        REQUIRE(test::wait_until([&] { return shown.count() > before; }));
    }
};

/// Takes the place of the browser.
class Browser : public QObject {
    Q_OBJECT

public:
    Browser() { QDesktopServices::setUrlHandler("file", this, "take"); }
    ~Browser() override { QDesktopServices::unsetUrlHandler("file"); }
    QList<QUrl> taken;

public slots:
    void take(const QUrl& url) { taken << url; }
};

} // namespace

TEST_CASE("the kind of a file is told by its contents, whatever its name")
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("misleading.png").toStdString();
    const auto kind_of = [&](const std::string& text) {
        write_file_atomically(path, text);
        return file_kind(path);
    };
    CHECK(kind_of(to_xml(test::small_form())) == FileKind::study);
    CHECK(kind_of("<?xml version=\"1.0\"?>\n<!-- <device> -->\n<study/>") == FileKind::study);
    CHECK(kind_of("<study><operator") == FileKind::study); // its reader says what is wrong
    CHECK(kind_of("\xef\xbb\xbf  " + to_xml(find_profile("mali-g76"))) == FileKind::profile);
    CHECK(kind_of(html_page("a", "<p>b</p>")) == FileKind::report);
    CHECK(kind_of("#image A:4x4x16\ngroup,item,step,image,x,y\n") == FileKind::trace);
    CHECK(kind_of("# by hand\r\n\r\ngroup,item,step,image,x,y\r\n") == FileKind::trace);
    CHECK(kind_of(onnx_bytes(networks::find_model("mlp-16-16")->make(1, 1))) == FileKind::network);
    // its reader says what is wrong
    CHECK(kind_of(std::string("\x08\x07\x12\x06python")) == FileKind::network);
    for (const char* name : {"a.tst", "b.csv.gz", "c.csv.zst", "d.csv.xz"}) {
        CAPTURE(name);
        const std::string trace = folder.filePath(name).toStdString();
        name[0] == 'a' ? write_native_trace(trace, {"8,8,8"}) : write_csv_trace(trace, "8,8,8");
        CHECK(file_kind(trace) == FileKind::trace);
    }
    for (const char* other :
         {"", "words", "<html><title>someone else's</title></html>", "<svg/>", "<!-- cut",
          "a,b,c\n1,2,3\n", "# comments\n", "PK\x03\x04", "<", "\x08\x07", "\x08\x07\xff"}) {
        CAPTURE(other);
        CHECK_THROWS_WITH(kind_of(other), Catch::Contains(path) && !Catch::Contains("\n"));
    }
    CHECK_THROWS_WITH(file_kind(path + ".gone"), Catch::Contains("no such file"));
    CHECK_THROWS_WITH(file_kind(folder.path().toStdString()), Catch::Contains("no file"));
}

TEST_CASE("a trace's heat maps are the reads of its file")
{
    const QTemporaryDir folder;
    const std::string native = folder.filePath("a.tst").toStdString();
    const std::string csv = folder.filePath("a.csv").toStdString();
    write_native_trace(native, {"16,16,16", "8,24,16"});
    write_csv_trace(csv, "8,24,16");
    const DeviceProfile device = find_profile("mali-g76");
    const TraceResult second = run_trace({native, 1, device});
    const TraceResult plain = run_trace({csv, 0, device});
    CHECK(second.launches.size() == 2);
    CHECK(plain.launches.size() == 1);
    CHECK(second.device_name == device.name);
    const auto source = matmul("8,24,16");
    REQUIRE(second.images.size() == source->images().size());
    std::vector<std::map<Texel, std::int64_t>> reads(second.images.size());
    AccessWalk walk(*source, 8);
    while (walk.next()) {
        for (const LaneRead& lane : walk.access().lanes) {
            ++reads[lane.image][lane.texel];
        }
    }
    for (std::size_t i = 0; i < reads.size(); ++i) {
        const StudyImage& image = second.images[i];
        CHECK(image.image.extent == source->images()[i].extent);
        CHECK_FALSE(image.pattern);
        for (std::int32_t y = 0; y < image.image.extent.height; ++y) {
            for (std::int32_t x = 0; x < image.image.extent.width; ++x) {
                REQUIRE(image.map(HeatQuantity::reads).at({x, y}) == reads[i][{x, y}]);
            }
        }
        CHECK(image.histogram == plain.images[i].histogram);
        CHECK(image.histogram.accesses > 0);
    }
    CHECK(second.simulation.l1.misses() == plain.simulation.l1.misses());
    CHECK(second.timed.cycles);
    CHECK_THROWS_WITH(run_trace({native, 2, device}), Catch::Contains("no launch 2"));
    CHECK_THROWS_AS(run_trace({native, 0, device}, {}, [] { return true; }), Interrupted);
}

TEST_CASE("a trace is shown in the study's place until it is closed")
{
    OpenFilesFixture f;
    write_native_trace(f.path("a.tst"), {"8,24,16", "16,16,16"});
    f.open("a.tst");
    REQUIRE(f.window.session().trace());
    CHECK_FALSE(f.window.session().study());
    CHECK_FALSE(f.find<TraceStrip>("trace_strip").isHidden());
    CHECK(f.find<QComboBox>("image").count() == 2);
    f.find<QComboBox>("quantity").setCurrentIndex(static_cast<int>(HeatChoice::reads));
    CHECK(f.find<HeatMapView>("heat_map_view").max() ==
          f.window.session().trace()->images[0].map(HeatQuantity::reads).max());
    CHECK(f.find<QTreeWidget>("results").topLevelItemCount() >= 4);
    auto pages = f.window.findChildren<NotePage*>();
    pages.removeIf([](const NotePage* page) {
        return qobject_cast<RankingPanel*>(page->parentWidget()) != nullptr;
    });
    CHECK(pages.size() == 5);
    for (const NotePage* page : pages) {
        CHECK(page->note().contains("F5"));
    }
    QTest::keyClick(&f.window, Qt::Key_F7); // there is nothing to cross-check
    CHECK_FALSE(f.window.findChild<CrosscheckPanel*>()->running());
    f.find<QComboBox>("trace_launch").setCurrentIndex(1);
    emit f.find<QComboBox>("trace_launch").activated(1);
    REQUIRE(test::wait_until([&] { return f.shown.count() == 2; }));
    CHECK(f.window.session().trace()->request.launch == 1);
    CHECK(f.window.session().trace()->images[1].image.extent ==
          matmul("16,16,16")->images()[1].extent);

    auto& playback = f.window.findChild<HeatMapPanel*>()->playback();
    f.find<QToolButton>("playback").click();
    REQUIRE(test::wait_until([&] { return playback.count() > 0; }));
    CHECK(playback.count() == f.window.session().trace()->simulation.steps);

    f.find<QPushButton>("trace_close").click(); // no study yet: one is run
    REQUIRE(test::wait_until([&] { return f.shown.count() == 3; }));
    CHECK(f.window.session().study());
    CHECK_FALSE(f.window.session().trace());
    CHECK(f.find<TraceStrip>("trace_strip").isHidden());
    for (const NotePage* page : pages) {
        CHECK(page->note().isEmpty());
    }
    f.open("a.tst");
    f.find<QPushButton>("trace_close").click(); // it is there at once
    CHECK_FALSE(f.window.session().trace());
    CHECK(f.find<HeatMapView>("heat_map_view").extent() ==
          f.window.session().study()->images[0].image.extent);
}

TEST_CASE("a report goes to the browser, or the window says that there is none")
{
    OpenFilesFixture f;
    write_file_atomically(f.path("r.html"), html_page("a", "<p>b</p>"));
    {
        Browser browser;
        f.window.open(f.file("r.html"));
        CHECK(browser.taken == QList<QUrl>{QUrl::fromLocalFile(f.file("r.html"))});
        CHECK(f.error().isEmpty());
    }
    f.window.open(f.file("r.html")); // the offscreen platform has no browser
    CHECK(f.error().contains("r.html"));
    CHECK(f.error().contains("by hand"));
}

TEST_CASE("the program's file may be of any kind")
{
    const QTemporaryDir folder;
    const auto parsed = [&](const char* name) {
        return parse_start_options({"texelscope-gui", folder.filePath(name)});
    };
    write_csv_trace(folder.filePath("a.csv").toStdString(), "8,8,8");
    CHECK(parsed("a.csv").kind == FileKind::trace);
    CHECK_FALSE(parsed("a.csv").asks_for_study);
    StudyForm form = test::small_form();
    form.seed = "5";
    write_file_atomically(folder.filePath("no-ending").toStdString(), to_xml(form));
    CHECK(parsed("no-ending").kind == FileKind::study);
    CHECK(parsed("no-ending").form == form);
    write_file_atomically(folder.filePath("profile").toStdString(),
                          to_xml(find_profile("mali-g76")));
    CHECK(to_request(parsed("profile").form).device.name == find_profile("mali-g76").name);
}

#include "open_files_test.moc"
