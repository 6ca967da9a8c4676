#include "base/atomic_file.hpp"
#include "gui/heat_map/heat_map_panel.hpp"
#include "gui/shell/main_window.hpp"
#include "gui/start/gallery.hpp"
#include "gui/start/gallery_card.hpp"
#include "gui/start/gallery_picture.hpp"
#include "gui/start/shipped_file.hpp"
#include "gui/start/start_page.hpp"
#include "gui/study/trace_strip.hpp"
#include "gui/tour/tour.hpp"
#include "model/walks/walk_file.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/gui/window_fixture.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

double share(std::int64_t part, std::int64_t whole)
{
    return static_cast<double>(part) / static_cast<double>(whole);
}

const HeatMap& reads(const LaunchResult& launch, std::size_t image)
{
    return launch.images[image].map(HeatQuantity::reads);
}

/// How often each texel of an image is read that is read at all; 0 where they differ.
std::int64_t reads_of_each(const LaunchResult& launch, std::size_t image)
{
    std::set<std::int64_t> counts(reads(launch, image).counts.begin(),
                                  reads(launch, image).counts.end());
    counts.erase(0);
    return counts.size() == 1 ? *counts.begin() : 0;
}

std::int64_t texel_reads(const LaunchResult& launch)
{
    std::int64_t sum = launch.simulation.border_reads;
    for (std::size_t i = 0; i < launch.images.size(); ++i) {
        sum += reads(launch, i).total();
    }
    return sum;
}

StudyResult run(StudyForm form)
{
    form.rank = false;
    return run_study(to_request(form));
}

TraceResult run(const GalleryTrace& trace)
{
    return run_trace({shipped_file(trace.file), trace.launch, find_profile(trace.device)});
}

const GalleryEntry& entry(const char* title)
{
    static const std::vector<GalleryEntry> all = gallery();
    for (const GalleryEntry& each : all) {
        if (each.title == title) {
            return each;
        }
    }
    FAIL("there is no entry " << title);
    return all.front();
}

/// What each entry says of itself, of its numbers.
const std::map<std::string, std::function<void(const GalleryEntry&)>>& claims()
{
    const auto of_study = [](const std::function<void(const StudyResult&)>& check) {
        return [check](const GalleryEntry& e) { check(run(std::get<StudyForm>(e.opens))); };
    };
    static const std::map<std::string, std::function<void(const GalleryEntry&)>> all{
        {"Matrix product", of_study([](const StudyResult& s) {
             CHECK(reads_of_each(s, 0) == 16);
             CHECK(reads_of_each(s, 1) == 16);
             CHECK(s.simulation.l1.hits == 0);
             CHECK(s.options.machine.l1().geometry.capacity == Bytes{1024});
             // A line is two texels wide; the first of them misses because it is new, the second
             // because it is gone.
             const HeatMap& again = s.images[0].map(HeatQuantity::capacity);
             for (std::int32_t x = 0; x < again.extent.width; ++x) {
                 CHECK((again.counts[static_cast<std::size_t>(x)] > 0) == (x % 2 == 1));
             }
         })},
        {"Convolution", of_study([](const StudyResult& s) {
             CHECK(reads(s, 0).total() > 50 * reads(s, 0).extent.area());
             CHECK(2 * s.simulation.l1.capacity > s.simulation.l1.misses());
         })},
        {"Depthwise convolution", of_study([](const StudyResult& s) {
             CHECK(share(s.simulation.l1.misses(), s.simulation.l1.lookups) > 0.9);
         })},
        {"Transposed convolution", of_study([](const StudyResult& s) {
             const double outside = share(s.simulation.border_reads, texel_reads(s));
             CHECK(outside == Approx(0.2).margin(0.02));
         })},
        {"3D convolution", of_study([](const StudyResult& s) {
             CHECK(share(s.simulation.l1.hits, s.simulation.l1.lookups) > 0.4);
         })},
        {"Softmax", of_study([](const StudyResult& s) {
             CHECK(reads_of_each(s, 0) == 3);
             CHECK(s.simulation.l1.hits == 0);
         })},
        {"Layer normalisation", of_study([](const StudyResult& s) {
             CHECK(reads_of_each(s, 0) == 3);
             CHECK(s.simulation.l1.hits == 0);
             REQUIRE(s.images.size() == 3);
             CHECK(reads_of_each(s, 1) == 64);
             CHECK(reads_of_each(s, 2) == 64);
         })},
        {"Gradient of a convolution", of_study([](const StudyResult& s) {
             CHECK(share(s.simulation.l1.capacity, s.simulation.l1.misses()) ==
                   Approx(0.75).margin(0.03));
         })},
        {"Conflict misses", of_study([](const StudyResult& s) {
             CHECK(share(s.simulation.l1.conflict, s.simulation.l1.misses()) > 0.9);
             CHECK(s.simulation.l1.capacity == 0);
         })},
        {"The same without them", of_study([](const StudyResult& s) {
             CHECK(s.simulation.l1.conflict == 0);
             StudyForm before = std::get<StudyForm>(entry("Conflict misses").opens);
             before.config.replace(before.config.find("W=1x64;G=1x64"), 13, "W=64x1;G=64x1");
             CHECK(to_string(s.request.schedule) == before.config);
         })},
        {"A Mali with room", of_study([](const StudyResult& s) {
             CHECK(to_string(s.request.op) == "matmul 64,64,64");
             CHECK(s.simulation.l1.misses() == s.simulation.l1.compulsory);
         })},
        {"A rotation, recorded",
         [](const GalleryEntry& e) {
             const TraceResult t = run(std::get<GalleryTrace>(e.opens));
             CHECK(texel_reads(t) == 4 * t.images[1].image.extent.area());
             CHECK(reads(t, 0).counts.front() == 0); // a corner of the image is turned out of sight
         }},
        {"A Gaussian blur, recorded",
         [](const GalleryEntry& e) {
             GalleryTrace trace = std::get<GalleryTrace>(e.opens);
             CHECK(trace.launch == 1);
             const auto misses = [&](int launch) {
                 trace.launch = launch;
                 const TraceResult t = run(trace);
                 return share(t.simulation.l1.misses(), t.simulation.l1.lookups);
             };
             CHECK(misses(1) / misses(0) == Approx(2).margin(0.2));
         }},
        {"An H100's texture cache",
         [](const GalleryEntry& e) {
             const auto& walks = std::get<GalleryWalks>(e.opens);
             CHECK(join_walks(read_walks(shipped_file(walks.walks)),
                              read_walk_latencies(shipped_file(walks.latencies)),
                              Image{"image", {2048, 2048}, Bytes{16}})
                       .walks.size() > 100);
         }},
    };
    return all;
}

/// The start page in a window of a session that remembers nothing.
struct StartFixture : test::WindowFixture {
    StartPage& page = find<StartPage>("start_page");

    GalleryCard& card(const QString& title)
    {
        for (GalleryCard* each : page.findChildren<GalleryCard*>()) {
            if (each->text() == title) {
                return *each;
            }
        }
        FAIL("there is no card " << title.toStdString());
        return *page.findChild<GalleryCard*>();
    }
    [[nodiscard]] bool docks_hidden() const
    {
        const auto docks = window.findChildren<QDockWidget*>();
        return std::ranges::all_of(docks, [](const QDockWidget* dock) { return dock->isHidden(); });
    }
    void wait_for_result(qsizetype before)
    {
        REQUIRE(test::wait_until([&] { return shown.count() > before; }));
    }
};

} // namespace

TEST_CASE("each entry of the gallery shows what its text says")
{
    std::set<std::string> titles;
    for (const GalleryEntry& each : gallery()) {
        const std::string title = each.title.toStdString();
        CAPTURE(title);
        CHECK(titles.insert(title).second);
        REQUIRE(claims().contains(title));
        claims().at(title)(each);
        CHECK(each.look_for.size() < 130);
    }
    CHECK(titles.size() == claims().size());
}

TEST_CASE("the gallery has each operator that is no gradient")
{
    std::set<std::string> missing;
    for (const std::string& name : operator_names()) {
        if (name.find('_') == std::string::npos) {
            missing.insert(name);
        }
    }
    for (const GalleryEntry& each : gallery()) {
        if (const auto* form = std::get_if<StudyForm>(&each.opens)) {
            missing.erase(form->op);
        }
    }
    CHECK(missing == std::set<std::string>{});
}

TEST_CASE("each entry has a picture with more than one colour")
{
    for (const GalleryEntry& each : gallery()) {
        CAPTURE(each.title.toStdString());
        const QImage picture = gallery_picture(each, {64, 64}, 0xffc8c8c8);
        REQUIRE(picture.size() == QSize(64, 64));
        std::set<QRgb> colours;
        for (int i = 0; i < 64 * 64; ++i) {
            colours.insert(picture.pixel(i % 64, i / 64));
        }
        CHECK(colours.size() > 1);
    }
}

TEST_CASE("files that come with the program are found beside an installed one, else in the sources")
{
    namespace fs = std::filesystem;
    const test::TemporaryFolder folder;
    const fs::path root = folder.file("root");
    const auto touch = [](const fs::path& path) {
        fs::create_directories(path.parent_path());
        std::ofstream(path) << "x";
    };
    const auto found = [&] {
        return shipped_file("gallery/a.tst", (root / "bin").string(), (root / "src").string());
    };
    CHECK_THROWS_WITH(found(), Catch::Matchers::Contains("gallery/a.tst") &&
                                   Catch::Matchers::Contains("install"));
    touch(root / "src/experiments/gallery/a.tst");
    CHECK(found() == (root / "src/experiments/gallery/a.tst").string());
    touch(root / "share/texelscope/gallery/a.tst");
    CHECK(found() == (root / "share/texelscope/gallery/a.tst").string());
}

TEST_CASE("the start page takes the place of all docks, and gives it back")
{
    StartFixture f;
    auto& ranking = f.find<QDockWidget>("ranking_dock");
    f.find<QDockWidget>("store_dock").hide();
    f.window.show_start_page();
    CHECK(f.page.isVisible());
    CHECK(f.docks_hidden());
    CHECK(f.page.findChild<QWidget*>("present_card") != nullptr);
    CHECK_FALSE(f.find<GalleryCard>("present_card").isVisible());
    CHECK(f.window.focusWidget() == &f.find<QPushButton>("start_tour"));

    SECTION("as it was")
    {
        f.window.show_workbench();
        CHECK_FALSE(f.page.isVisible());
        CHECK_FALSE(ranking.isHidden());
        CHECK(f.find<QDockWidget>("store_dock").isHidden());
    }
    SECTION("by a study of one's own, which is not run yet")
    {
        f.find<QPushButton>("start_study").click();
        CHECK_FALSE(f.page.isVisible());
        CHECK(f.panel().isAncestorOf(f.window.focusWidget()));
        CHECK_FALSE(f.window.session().running());
    }
    SECTION("by the tour")
    {
        f.find<QPushButton>("start_tour").click();
        CHECK_FALSE(f.page.isVisible());
        CHECK(f.window.findChild<Tour*>()->step() == 0U);
    }
    SECTION("for a dock that is asked for, even one that was closed before")
    {
        f.find<QDockWidget>("store_dock").toggleViewAction()->trigger();
        REQUIRE(test::wait_until([&] { return !f.page.isVisible(); }));
        CHECK_FALSE(f.find<QDockWidget>("store_dock").isHidden());
        CHECK_FALSE(ranking.isHidden());
    }
    SECTION("and stays where a file cannot be opened, and says so")
    {
        f.window.open(f.file("none.xml"));
        CHECK(f.page.isVisible());
        CHECK(f.find<QLabel>("start_error").text().contains("none.xml"));
        CHECK(f.find<QLabel>("start_error").isVisible());
    }
}

TEST_CASE("a card is pressed by Return, and opens its study with the quantity that it is about")
{
    StartFixture f;
    f.window.show_start_page();
    GalleryCard& card = f.card(entry("Softmax").title);
    card.setFocus();
    QTest::keyClick(&card, Qt::Key_Return);
    CHECK_FALSE(f.page.isVisible());
    f.wait_for_result(0);
    CHECK(to_string(f.window.session().study()->request.op) == "softmax 64,256");
    CHECK(f.window.findChild<HeatMapPanel*>()->quantity() == HeatChoice::capacity);

    // Back to the page, where the study can be gone on with, and a trace opened in its place.
    f.window.show_start_page();
    auto& present = f.find<GalleryCard>("present_card");
    CHECK(present.isVisible());
    CHECK(f.window.focusWidget() == &present);
    CHECK(present.text().contains("softmax 64,256"));
    QTest::keyClick(&present, Qt::Key_Space);
    CHECK_FALSE(f.page.isVisible());
    CHECK(f.shown.count() == 1); // it is there already

    f.window.show_start_page();
    f.card(entry("A rotation, recorded").title).click();
    f.wait_for_result(1);
    REQUIRE(f.window.session().trace());
    CHECK(f.window.session().trace()->device_name == "mali-g77");
    CHECK(f.find<TraceStrip>("trace_strip").isVisible());
    f.window.show_start_page();
    CHECK_FALSE(f.find<TraceStrip>("trace_strip").isVisible());

    // A window of its own that was left open does not cover what a card opens.
    f.window.show_workbench();
    auto& walks = f.find<QDockWidget>("identification_dock");
    walks.show();
    REQUIRE(walks.isFloating());
    f.window.show_start_page();
    f.card(entry("Softmax").title).click();
    f.wait_for_result(2);
    CHECK(walks.isHidden());
}

TEST_CASE("cards say what they are to those who cannot see them, and get their pictures")
{
    StartFixture f;
    f.window.show_start_page();
    for (const GalleryEntry& each : gallery()) {
        const GalleryCard& card = f.card(each.title);
        CHECK(card.accessibleName() == each.title);
        CHECK(card.accessibleDescription() == each.look_for);
        CHECK(card.focusPolicy() == Qt::StrongFocus);
        CHECK(card.height() >= card.sizeHint().height());
    }
    REQUIRE(test::wait_until([&] { return f.page.complete(); }));
    for (const GalleryEntry& each : gallery()) {
        CAPTURE(each.title.toStdString());
        CHECK(f.card(each.title).has_picture());
    }
}

TEST_CASE("a study of an earlier session is the first card, and is run from there")
{
    StartFixture f;
    f.window.show_start_page(true);
    auto& present = f.find<GalleryCard>("present_card");
    CHECK(f.window.focusWidget() == &present);
    CHECK(present.text().contains("matmul 16,16,16"));
    QTest::keyClick(&present, Qt::Key_Return);
    f.wait_for_result(0);
    CHECK(to_string(f.window.session().study()->request.op) == "matmul 16,16,16");
}

TEST_CASE("recent files are on the page and open from there")
{
    StartFixture f;
    StudyForm other = test::small_form();
    other.shape = "32,16,16";
    write_file_atomically(f.path("other.xml"), to_xml(other));
    f.window.open(f.file("other.xml"));
    f.wait_for_result(0);
    f.window.show_start_page();
    auto& recent = f.find<QPushButton>("recent_file");
    CHECK(recent.text() == "other.xml");
    CHECK(recent.toolTip().endsWith("/other.xml"));
    recent.click();
    f.wait_for_result(1);
    CHECK_FALSE(f.page.isVisible());
}
