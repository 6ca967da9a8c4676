#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "gui/ranking/ranking_panel.hpp"
#include "gui/store/store_panel.hpp"
#include "gui/study/study_files.hpp"
#include "gui/widgets/theme.hpp"
#include "tests/gui/window_fixture.hpp"
#include "traces/formats/trace_copy.hpp"
#include "traces/launch_source.hpp"
#include "workbench/store/result_store.hpp"
#include "workbench/study/memory_need.hpp"

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <csignal>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

/// A window with a study in it, and a folder.
struct FailureFixture : test::StudyWindowFixture {
    void has_one_line_with(const char* words)
    {
        CAPTURE(error().toStdString());
        CHECK(error().contains(words));
        CHECK_FALSE(error().contains('\n'));
    }
};

std::string bytes_of(const std::string& path)
{
    QFile file(QString::fromStdString(path));
    REQUIRE(file.open(QIODevice::ReadOnly));
    return file.readAll().toStdString();
}

std::string native_trace(const std::string& path)
{
    const Operator op = parse_operator("matmul", "16,16,16", {});
    const auto source = make_trace_source(launch_of(loop_nest(op, op.default_schedule)));
    TraceWriter writer(path, "test");
    (void)write_native(writer, *source, traced_launch(*source));
    writer.finish();
    return bytes_of(path);
}

/// Files of this process can have no more bytes, as on a full disk.
class FullDisk {
public:
    explicit FullDisk(rlim_t bytes) : before_(std::signal(SIGXFSZ, SIG_IGN))
    {
        ::getrlimit(RLIMIT_FSIZE, &limit_);
        const rlimit full{bytes, limit_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &full);
    }
    ~FullDisk()
    {
        ::setrlimit(RLIMIT_FSIZE, &limit_);
        (void)std::signal(SIGXFSZ, before_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    void (*before_)(int);
    rlimit limit_{};
};

} // namespace

TEST_CASE("a broken or truncated file of any kind is a line, and the session goes on")
{
    FailureFixture f;
    const auto study = f.window.session().study();
    const StudyForm form = f.window.findChild<StudyPanel*>()->form();
    const std::string trace = native_trace(f.path("whole.tst"));
    std::string damaged = trace;
    damaged[trace.size() / 2] = static_cast<char>(damaged[trace.size() / 2] ^ 0x55);
    for (const auto& [name, text] :
         {std::pair<const char*, std::string>{"study.xml", to_xml(form).substr(0, 60)},
          {"profile.xml", to_xml(find_profile("mali-g76")).substr(0, 500)},
          {"cut.tst", trace.substr(0, trace.size() / 2)},
          {"damaged.tst", damaged},
          {"header.tst", "TXSTRACE"},
          {"rows.csv", "#image A:4x4x16\ngroup,item,step,image,x,y\n0,0,0,A,1\n"},
          {"undeclared.csv", "group,item,step,image,x,y\n0,0,0,A,1,1\n"},
          {"cut.csv.gz", std::string("\x1f\x8b\x08\x00\x00", 5)},
          {"unknown.bin", "\x7f"
                          "ELF"},
          {"empty", ""}}) {
        CAPTURE(name);
        write_file_atomically(f.path(name), text);
        const auto failures = f.failed.count();
        f.window.open(f.file(name));
        REQUIRE(test::wait_until(
            [&] { return f.error().contains(name) || f.failed.count() > failures; }));
        f.has_one_line_with(name);
        CHECK(f.window.session().study() == study);
        CHECK(f.window.findChild<StudyPanel*>()->form() == form);
    }
    f.run();
    CHECK(f.error().isEmpty());
}

TEST_CASE("a broken store is a line in its panel")
{
    FailureFixture f;
    {
        StoredResult row;
        row.key = {"k", "simulator", "adreno-740", "", "1", "s"};
        row.op = "matmul";
        row.shape = "16,16,16";
        ResultStore(f.path("whole.db")).put(std::vector<StoredResult>(1, row));
    }
    const std::string whole = bytes_of(f.path("whole.db"));
    REQUIRE(whole.starts_with("SQLite format 3"));
    auto* panel = f.window.findChild<StorePanel*>();
    auto* note = panel->findChild<QLabel*>("store_note");
    QSignalSpy ended(panel, &StorePanel::ended);
    for (const auto& [name, text] :
         {std::pair<const char*, std::string>{"cut.db", whole.substr(0, 2000)},
          {"header.db", whole.substr(0, 16)},
          {"noise.db", whole.substr(0, 100) + std::string(whole.size() - 100, '\x5a')}}) {
        CAPTURE(name);
        write_file_atomically(f.path(name), text);
        const auto before = ended.count();
        f.window.open(f.file(name));
        REQUIRE(test::wait_until([&] { return ended.count() > before; }));
        CAPTURE(note->text().toStdString());
        CHECK(note->text().contains(name));
        CHECK_FALSE(note->text().contains('\n'));
        CHECK(panel->model().size() == 0);
    }
    f.window.open(f.file("whole.db"));
    REQUIRE(test::wait_until([&] { return panel->model().size() == 1; }));
}

TEST_CASE("a full disk keeps the old file and is a line")
{
    FailureFixture f;
    auto* files = f.window.findChild<StudyFiles*>();
    files->save(f.file("a.xml"));
    f.window.export_heat_map(f.path("a.png"));
    f.find<RankingPanel>("ranking_panel").export_table(f.path("a.csv"), false);
    const std::string xml = bytes_of(f.path("a.xml"));
    const std::string png = bytes_of(f.path("a.png"));
    const std::string csv = bytes_of(f.path("a.csv"));
    const auto entries = QDir(f.folder.path()).entryList(QDir::Files | QDir::Hidden);
    {
        const FullDisk full(40);
        files->save(f.file("a.xml"));
        f.has_one_line_with("a.xml");
        f.has_one_line_with("make room");
        f.window.export_heat_map(f.path("a.png"));
        f.has_one_line_with("a.png");
        f.find<RankingPanel>("ranking_panel").export_table(f.path("a.csv"), false);
        f.has_one_line_with("a.csv");
    }
    CHECK(bytes_of(f.path("a.xml")) == xml);
    CHECK(bytes_of(f.path("a.png")) == png);
    CHECK(bytes_of(f.path("a.csv")) == csv);
    CHECK(QDir(f.folder.path()).entryList(QDir::Files | QDir::Hidden) == entries);
    f.find<RankingPanel>("ranking_panel").export_table("/dev/full", false);
    f.has_one_line_with("No space left");
    files->save(f.file("a.xml"));
    f.run();
    CHECK(f.error().isEmpty());
}

TEST_CASE("a recent file that is gone is a line, and is forgotten")
{
    FailureFixture f;
    auto* files = f.window.findChild<StudyFiles*>();
    files->save(f.file("a.xml"));
    files->save(f.file("b.xml"));
    CHECK(QFile::remove(f.file("a.xml")));
    f.window.open(f.file("a.xml"));
    f.has_one_line_with("not there any more");
    CHECK(files->recent() == QStringList{f.file("b.xml")});
    f.window.open(f.file("never.xml"));
    f.has_one_line_with("no such file");
}

TEST_CASE("settings that cannot be read are a line, and the window works")
{
    const QTemporaryDir settings;
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    CHECK(settings_problem().isEmpty());
    CHECK(QDir(settings.path()).mkdir("texelscope"));
    SECTION("damaged")
    {
        write_file_atomically(window_settings().fileName().toStdString(),
                              "[window\nno equals sign \x01\n[[[");
    }
    SECTION("a folder in their place")
    {
        CHECK(QDir().mkdir(window_settings().fileName()));
    }
    {
        const QString line = settings_problem();
        MainWindow window(test::small_form(), true);
        window.show_problem(line);
        CAPTURE(line.toStdString());
        CHECK(line.contains("texelscope-gui.ini"));
        CHECK(line.contains("defaults"));
        CHECK_FALSE(line.contains('\n'));
        QSignalSpy shown(&window.session(), &Session::shown_anew);
        window.show();
        window.run();
        REQUIRE(test::wait_until([&] { return shown.count() == 1; }));
        CHECK(window.findChild<QLabel*>("problem")->text() == line);
    }
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, QDir::homePath() + "/.config");
}

TEST_CASE("what needs more memory than there is is refused before it begins")
{
    const SimulationOptions options = find_profile("adreno-740").simulation;
    const std::vector<Image> small{{"A", {16, 16}, Bytes{16}}};
    const std::vector<Image> larger{{"A", {32, 16}, Bytes{16}}};
    CHECK(launch_memory(larger, options).value == 2 * launch_memory(small, options).value);
    constexpr std::int64_t maps = 16 * 16 * 8 * 6; // counts of 8 bytes, at least six quantities
    CHECK(launch_memory(small, options).value >= maps);
    const std::vector<Image> huge(65536, Image{"A", {2147483647, 2147483647}, Bytes{16}});
    CHECK(launch_memory(huge, options).value > std::int64_t{1} << 60);
    CHECK_NOTHROW(check_memory(Bytes{5}, Bytes{5}, "here"));
    CHECK_NOTHROW(check_memory(Bytes{5}, std::nullopt, "here"));
    CHECK_THROWS_WITH(
        check_memory(Bytes{std::int64_t{3} << 30}, Bytes{std::int64_t{1} << 30}, "here"),
        "here: the heat maps of its images need about 3.0 GiB of memory, and 1.0 GiB are free; "
        "give a "
        "smaller shape");
    const auto available = available_memory();
    REQUIRE(available);
    CHECK(available->value > std::int64_t{1} << 24);
    CHECK(available->value < std::int64_t{1} << 50);

    FailureFixture f;
    const auto study = f.window.session().study();
    write_file_atomically(f.path("huge.csv"),
                          "#image A:2000000x2000000x16\ngroup,item,step,image,x,y\n0,0,0,A,1,1\n");
    f.window.open(f.file("huge.csv"));
    REQUIRE(test::wait_until([&] { return f.failed.count() == 1; }));
    f.has_one_line_with("GiB");
    CHECK(f.window.session().study() == study);

    f.window.findChild<QLineEdit*>("shape")->setText("1000000000,1000000000,1000000000");
    f.window.run(); // which the device's largest image refuses, or the memory
    REQUIRE(test::wait_until([&] { return !f.error().isEmpty(); }));
    CHECK_FALSE(f.error().contains('\n'));
}
