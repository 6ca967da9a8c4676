#include "base/atomic_file.hpp"
#include "gui/heat_map/access_recording.hpp"
#include "gui/heat_map/first_view.hpp"
#include "gui/shell/main_window.hpp"
#include "gui/study/study_files.hpp"
#include "gui/study/study_panel.hpp"
#include "gui/tour/tour.hpp"
#include "gui/tour/tour_card.hpp"
#include "gui/widgets/controls.hpp"
#include "tests/gui/window_fixture.hpp"
#include "traces/launch_source.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

std::string text_of(const char* title)
{
    for (const TourStep& step : tour_steps()) {
        if (step.title == title) {
            return step.text.toStdString();
        }
    }
    FAIL("there is no step " << title);
    return {};
}

void check_names(const std::string& text, const QString& number)
{
    CHECK_THAT(text, Catch::Contains(number.toStdString()));
}

} // namespace

TEST_CASE("each step of the tour is about parts that are there")
{
    const MainWindow window(test::small_form(), false);
    const auto steps = tour_steps();
    CHECK(steps.size() == 5);
    for (const TourStep& step : steps) {
        CAPTURE(step.title.toStdString());
        CHECK_FALSE(step.parts.isEmpty());
        for (const QString& part : step.parts) {
            CAPTURE(part.toStdString());
            CHECK(window.findChild<QWidget*>(part) != nullptr);
        }
    }
}

TEST_CASE("the numbers of the tour are those of the example")
{
    const StudyResult study = run_study(to_request(example_study()));
    const std::string start = text_of("The study and its results");
    CHECK(study.simulation.l1.hits == 0);
    check_names(start, texelscope::gui::count_text(study.simulation.l1.lookups) + " lookups");
    check_names(start, texelscope::gui::time_text(*study.timed.time(study.options.machine)));

    const HeatMap& reads = study.images.front().map(HeatQuantity::reads);
    CHECK(study.images.front().image.name == "A");
    CHECK(reads.total() == 16 * reads.extent.area());
    CHECK(reads.max() == 16);
    check_names(text_of("The heat map"), "16 times");
    CHECK(first_view(study) == FirstView{0, HeatChoice::compulsory});
    check_names(text_of("The heat map"), "compulsory misses");

    check_names(text_of("Playback"),
                texelscope::gui::count_text(study.options.machine.l1().geometry.lines()) +
                    " lines here");
    AccessRecording recording(study.options, 1000);
    SimulationObserver* const observer = &recording;
    (void)simulate(*make_trace_source(launch_of(study.nest)), study.options, {&observer, 1});
    for (std::size_t i = 0; i < recording.size(); ++i) {
        const RecordedAccess& access = recording.access(i);
        CHECK((access.image != 0 || access.misses == 8));
    }
    check_names(text_of("Playback"), "one access of image A brings in 8.");

    const std::string ranking = text_of("Ranking and histograms");
    check_names(ranking, texelscope::gui::count_text(study.ranking.space) + " configurations");
    check_names(ranking,
                texelscope::gui::time_text(study.prediction.cost(study.variant.variant).kernel));
    check_names(ranking, texelscope::gui::time_text(study.ranking.best.front().cost));
    StudyForm better = example_study();
    better.config = to_string(study.ranking.best.front().schedule);
    better.rank = false;
    const StudyResult then = run_study(to_request(better));
    check_names(ranking, texelscope::gui::time_text(*then.timed.time(then.options.machine)));
    for (std::size_t image = 0; image < study.images.size(); ++image) {
        std::int64_t before = 0;
        std::int64_t after = 0;
        for (std::size_t bin = 0; bin < study.images[image].histogram.bins.size(); ++bin) {
            before += study.images[image].histogram.bins[bin].x +
                      study.images[image].histogram.bins[bin].y;
            after +=
                then.images[image].histogram.bins[bin].x + then.images[image].histogram.bins[bin].y;
        }
        CHECK(after < before);
    }
}

TEST_CASE(
    "the tour goes from step to step by keyboard, frames its parts, and leaves the study as it was")
{
    test::StudyWindowFixture f;
    MainWindow& window = f.window;
    const StudyForm before = window.findChild<StudyPanel*>()->form();
    auto* tour = window.findChild<Tour*>();
    REQUIRE(tour != nullptr);
    tour->start();
    REQUIRE(test::wait_until([&] { return f.shown.count() == 2; }));
    CHECK(to_string(window.session().study()->request.op) == "matmul 64,64,64");

    auto* card = window.findChild<TourCard*>();
    REQUIRE(card != nullptr);
    const auto steps = tour_steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        CAPTURE(i);
        REQUIRE(tour->step() == i);
        CHECK(card->findChild<QLabel*>("tour_text")->text() == steps[i].text);
        CHECK(window.rect().contains(card->geometry()));
        const auto frames = window.findChildren<PartFrame*>();
        REQUIRE(frames.size() == steps[i].parts.size());
        for (const QString& name : steps[i].parts) {
            auto* part = window.findChild<QWidget*>(name);
            CHECK(part->isVisible());
            const QRect place(part->mapTo(&window, QPoint(0, 0)), part->size());
            CHECK(std::any_of(frames.begin(), frames.end(),
                              [&](const auto* frame) { return frame->geometry() == place; }));
            CHECK_FALSE(card->geometry().intersects(place));
        }
        QTest::keyClick(card, Qt::Key_Right);
    }
    CHECK(tour->step() == steps.size() - 1); // there is no next one
    QTest::keyClick(card, Qt::Key_Left);
    CHECK(tour->step() == steps.size() - 2);

    QTest::keyClick(card, Qt::Key_Escape);
    CHECK_FALSE(tour->step());
    CHECK(window.findChildren<PartFrame*>().isEmpty());
    REQUIRE(test::wait_until([&] { return f.shown.count() == 3; }));
    CHECK(window.findChild<StudyPanel*>()->form() == before);
}

TEST_CASE("a study that is opened during the tour stays when the tour ends, with its file")
{
    test::StudyWindowFixture f;
    auto* tour = f.window.findChild<Tour*>();
    auto* files = f.window.findChild<StudyFiles*>();
    StudyForm other = test::small_form();
    other.shape = "32,16,16";
    write_file_atomically(f.path("other.xml"), to_xml(other));
    const auto wait_for = [&](int shown) {
        REQUIRE(test::wait_until([&] { return f.shown.count() == shown; }));
    };
    tour->start();
    wait_for(2);
    CHECK(files->path().isEmpty());
    f.window.open(f.file("other.xml"));
    wait_for(3);
    const StudyForm opened = f.panel().form();
    CHECK(opened.shape == other.shape);
    tour->end();
    QTest::qWait(50); // for another study to be run
    CHECK(f.panel().form() == opened);
    CHECK(f.shown.count() == 3);
    CHECK(files->path() == f.file("other.xml"));

    tour->start();
    wait_for(4);
    CHECK(files->path().isEmpty());
    tour->end();
    wait_for(5);
    CHECK(f.panel().form() == opened);
    CHECK(files->path() == f.file("other.xml"));
}

TEST_CASE("a card is placed beside its parts, in the window")
{
    const QRect window(0, 0, 1000, 800);
    const QSize card(300, 150);
    const auto check = [&](const QList<QRect>& parts) {
        const QRect place = place_beside(card, parts, window);
        CHECK(place.size() == card);
        CHECK(window.contains(place));
        for (const QRect& part : parts) {
            CHECK_FALSE(place.intersects(part));
        }
    };
    check({});
    check({{0, 0, 300, 800}});
    check({{700, 0, 300, 800}});
    check({{0, 500, 1000, 300}});
    check({{600, 0, 400, 500}, {0, 500, 600, 300}});
    CHECK(window.contains(place_beside(card, {window}, window))); // nothing is free
}
