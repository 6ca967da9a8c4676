#include "base/atomic_file.hpp"
#include "gui/cross_check/crosscheck_panel.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/background_job.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/random_cases.hpp"

#include <catch2/catch.hpp>

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QProgressBar>
#include <QSemaphore>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QThread>
#include <atomic>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

/// A job, and what it tells of its ends.
struct CountedJob {
    int finished = 0;
    int cancelled = 0;
    int failed = 0;
    int got = 0;             ///< the last result
    std::weak_ptr<int> last; ///< the same, as long as anybody holds it
    BackgroundJob<int> job{{[](const QString&, double) {},
                            [this](const std::shared_ptr<int>& result) {
                                ++finished;
                                got = *result;
                                last = result;
                            },
                            [this](const QString&) { ++failed; }, [this] { ++cancelled; }}};

    [[nodiscard]] int ends() const { return finished + cancelled + failed; }
};

} // namespace

TEST_CASE("the job that was started last and still runs is cancelled first")
{
    CancelOrder order;
    std::vector<std::string> running{"a", "b", "c"};
    std::vector<std::string> cancelled;
    const auto start = [&](const std::string& name) {
        order.started(
            name,
            [&, name] { return std::find(running.begin(), running.end(), name) != running.end(); },
            [&, name] {
                std::erase(running, name);
                cancelled.push_back(name);
            });
    };
    CHECK_FALSE(order.cancel_latest());
    for (const char* name : {"a", "b", "c", "a"}) {
        start(name);
    }
    std::erase(running, "c"); // done by itself
    CHECK(order.cancel_latest());
    CHECK(order.cancel_latest());
    CHECK_FALSE(order.cancel_latest());
    CHECK(cancelled == std::vector<std::string>{"a", "b"});
}

TEST_CASE("all that run are cancelled once each, even where they go on for a while")
{
    CancelOrder order;
    std::vector<std::string> cancelled;
    for (const std::string name : {"a", "b", "c"}) {
        order.started(
            name, [name] { return name != "b"; },
            [&cancelled, name] { cancelled.push_back(name); });
    }
    order.cancel_all();
    CHECK(cancelled == std::vector<std::string>{"c", "a"});
}

TEST_CASE("dropped work is not told of, what follows it is, and results are let go of")
{
    CountedJob f;
    const auto work = [](const Progress&, const StopToken&) { return 42; };
    f.job.start(work);
    f.job.drop();
    CHECK_FALSE(f.job.running());
    QTest::qWait(50); // for all that could be told
    CHECK(f.ends() == 0);
    f.job.start(work);
    f.job.drop();
    f.job.start(work); // before the end of the dropped one came through
    REQUIRE(test::wait_until([&] { return f.finished == 1; }));
    CHECK(f.last.expired());
    f.job.cancel(); // of nothing
    QTest::qWait(50);
    CHECK(f.cancelled == 0);
}

TEST_CASE("what work returns that was cancelled or dropped is let go of")
{
    for (const bool drop : {false, true}) {
        std::atomic<int> made = 0;
        std::atomic<int> gone = 0;
        QSemaphore may_return;
        BackgroundJob<std::shared_ptr<int>> job{{}};
        job.start([&](const Progress&, const StopToken&) {
            may_return.acquire();
            ++made;
            return std::shared_ptr<int>(new int(42), [&](const int* number) {
                delete number;
                ++gone;
            });
        });
        QTest::qWait(20); // it has begun
        drop ? job.drop() : job.cancel();
        may_return.release();
        CAPTURE(drop);
        REQUIRE(test::wait_until([&] { return made == 1; }));
        QTest::qWait(50);
        CHECK(gone == 1);
    }
}

TEST_CASE("work that is to finish early gives what it has")
{
    CountedJob f;
    f.job.finish_early(); // of nothing
    f.job.start([](const Progress&, const StopToken& stop) {
        while (!stop()) {
            QThread::msleep(1);
        }
        return 42;
    });
    f.job.finish_early();
    REQUIRE(test::wait_until([&] { return f.finished == 1; }));
    CHECK(f.got == 42);
    // anew: not asked to
    f.job.start([](const Progress&, const StopToken& stop) { return stop() ? 1 : 2; });
    REQUIRE(test::wait_until([&] { return f.finished == 2; }));
    CHECK(f.got == 2);
    f.job.start([](const Progress&, const StopToken& stop) -> int {
        while (!stop()) {
            QThread::msleep(1);
        }
        throw Interrupted{};
    });
    f.job.finish_early();
    REQUIRE(test::wait_until([&] { return f.cancelled == 1; }));
    CHECK(f.got == 2);
}

TEST_CASE("work that is done and not yet told of can be cancelled")
{
    CountedJob f;
    QSemaphore done;
    f.job.start([&](const Progress&, const StopToken&) {
        done.release();
        return 42;
    });
    done.acquire();
    QThread::msleep(20); // for the work's thread to report it, which only the event loop can tell
    CHECK(f.job.running());
    f.job.cancel();
    CHECK_FALSE(f.job.running());
    REQUIRE(test::wait_until([&] { return f.cancelled == 1; }));
    CHECK(f.finished == 0);
}

TEST_CASE("each start is told of once")
{
    // Many, as what could tell a second time is a race: the work's thread lets go of its side of a
    // result that the window already has. All of them with ./check --all.
    const int starts = test::random_cases(4'000, 20'000);
    CountedJob f;
    for (int n = 1; n <= starts && f.ends() == f.finished; ++n) {
        f.job.start([n](const Progress&, const StopToken&) { return n; });
        while (f.ends() < n) {
            QCoreApplication::processEvents(QEventLoop::AllEvents);
        }
        QCoreApplication::processEvents(QEventLoop::AllEvents);
    }
    CHECK(f.cancelled + f.failed == 0);
    CHECK(f.finished == starts);
}

TEST_CASE("a cancelled cross-check keeps the rows that are done")
{
    const auto study = test::small_study();
    Session session;
    CrosscheckPanel panel(session);
    panel.show_devices({});
    panel.show_study(study);
    panel.findChild<QSpinBox*>("crosscheck_samples")->setValue(10000);
    QSignalSpy ended(&panel, &CrosscheckPanel::ended);
    panel.run();
    auto* note = panel.findChild<QLabel*>("crosscheck_note");
    REQUIRE(test::wait_until([&] {
        return note->text().startsWith("configuration 1") && panel.running() &&
               !note->text().startsWith("configuration 1 ");
    }));
    panel.cancel();
    REQUIRE(test::wait_until([&] { return ended.count() == 1; }));
    const CrosscheckResult& result = panel.result();
    CHECK(note->text().startsWith("Cancelled. "));
    REQUIRE_FALSE(result.rows.empty());
    CHECK(result.interrupted);
    CHECK(result.rows.size() < static_cast<std::size_t>(result.space));
    const CrosscheckRow& row = result.rows.front();
    const Prediction again =
        predict(study->request.op, row.schedule, study->request.device, study->calibration);
    CHECK(row.predicted.value == again.cost(study->variant.variant).kernel.value);
    CHECK(row.simulated.value > 0);
}

TEST_CASE("Esc cancels the cross-check that was started after the study, then the study")
{
    test::StudyWindowFixture f;
    auto& panel = f.find<CrosscheckPanel>("crosscheck_panel");
    panel.show_devices({});
    f.find<QSpinBox>("crosscheck_samples").setValue(10000);
    QSignalSpy ended(&panel, &CrosscheckPanel::ended);
    f.find<QLineEdit>("shape").setText("256,256,256");
    f.window.run();
    panel.run();
    QTest::keyClick(&f.window, Qt::Key_Escape);
    REQUIRE(test::wait_until([&] { return ended.count() == 1; }));
    CHECK(f.cancelled.isEmpty());
    QTest::keyClick(&f.window, Qt::Key_Escape);
    REQUIRE(test::wait_until([&] { return f.cancelled.count() == 1; }));
    QTest::keyClick(&f.window, Qt::Key_Escape); // nothing runs
    CHECK(f.cancelled.count() == 1);
}

TEST_CASE("a second window is independent of the first, and quitting closes both")
{
    MainWindow first(test::small_form(), false);
    first.show();
    QSignalSpy shown(&first.session(), &Session::shown_anew);
    first.run();
    REQUIRE(test::wait_until([&] { return shown.count() == 1; }));
    const auto study = first.session().study();
    const QPointer<MainWindow> second = first.new_window();
    QSignalSpy shown_second(&second->session(), &Session::shown_anew);
    REQUIRE(test::wait_until([&] { return shown_second.count() == 1; }));
    second->findChild<QLineEdit*>("shape")->setText("8,8,8");
    second->run();
    REQUIRE(test::wait_until([&] { return shown_second.count() == 2; }));
    CHECK(to_string(second->session().study()->request.op) == "matmul 8,8,8");
    CHECK(first.session().study() == study);
    CHECK(first.findChild<QLineEdit*>("shape")->text() == "16,16,16");
    second->findChild<QLineEdit*>("shape")->setText("256,256,256");
    second->run(); // which quitting stops
    QTest::keyClick(&first, Qt::Key_Q, Qt::ControlModifier);
    CHECK_FALSE(first.isVisible());
    REQUIRE(test::wait_until([&] { return second.isNull(); }));
}
