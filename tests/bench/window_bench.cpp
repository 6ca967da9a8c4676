// The window with a 4096x4096 image that 50 million reads went to: how long it takes to draw a
// frame after each gesture, how soon opening shows progress and a cancelled simulation ends, and
// how long the window is deaf meanwhile. Run by hand, on Qt's offscreen platform unless
// QT_QPA_PLATFORM says otherwise: bench_window [FRAMES].

#include "gui/heat_map/colour_bar.hpp"
#include "gui/heat_map/heat_map_panel.hpp"
#include "gui/shell/main_window.hpp"
#include "gui/study/study_panel.hpp"
#include "traces/formats/trace_copy.hpp"
#include "traces/launch_source.hpp"

#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QProgressBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using namespace texelscope::gui;

namespace {

constexpr std::int32_t side = 4096;
constexpr int reads_of_item = 3;
constexpr double frame_median = 16; // milliseconds that are asked for
constexpr double frame_worst = 50;
constexpr double answer_worst = 100;

/// Work-group 16x16 and one work-item a texel, which reads that texel, the one two rows below, and
/// the one that is mirrored at the diagonal.
Launch launch()
{
    Launch launch;
    launch.kernel = "mirror";
    launch.images = {{"A", {side, side}, Bytes{16}, AddressMode::edge}};
    launch.groups = {side / 16, side / 16, 1};
    launch.local = {16, 16, 1};
    const auto variables = work_item_variables(launch.groups, launch.local);
    const IndexExpr x = IndexExpr(variables[3]) * 16 + IndexExpr(variables[0]);
    const IndexExpr y = IndexExpr(variables[4]) * 16 + IndexExpr(variables[1]);
    launch.body = {AccessFunction{0, x, y}, AccessFunction{0, x, y + 2}, AccessFunction{0, y, x}};
    return launch;
}

double milliseconds(const std::function<void()>& work)
{
    QElapsedTimer timer;
    timer.start();
    work();
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

struct Row {
    std::string name;
    std::vector<double> ms;
};

void print(const Row& row, double median_wanted, double worst_wanted)
{
    std::vector<double> sorted = row.ms;
    std::sort(sorted.begin(), sorted.end());
    const double median = sorted[sorted.size() / 2];
    std::printf("%-34s %6zu %8.2f %8.2f   %s\n", row.name.c_str(), sorted.size(), median,
                sorted.back(),
                median <= median_wanted && sorted.back() <= worst_wanted ? "met" : "NOT MET");
}

/// Whether the event loop brings it about within a minute.
bool wait_until(const std::function<bool()>& done)
{
    constexpr int minute = 60'000;
    return QTest::qWaitFor(done, 10 * minute);
}

/// The longest time between two turns of the event loop.
class Deafness : public QObject {
public:
    Deafness()
    {
        timer_.setInterval(1);
        connect(&timer_, &QTimer::timeout, this, [this] {
            worst_ = std::max(worst_, static_cast<double>(since_.nsecsElapsed()) / 1e6);
            since_.restart();
        });
        since_.start();
        timer_.start();
    }
    [[nodiscard]] double worst() const { return worst_; }

private:
    QTimer timer_;
    QElapsedTimer since_;
    double worst_ = 0;
};

void wheel(HeatMapView& view, QPointF at, int notches)
{
    constexpr int notch = 120;
    QWheelEvent event(at, view.mapToGlobal(at), {}, {0, notches * notch}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &event);
}

/// Frames of each gesture, at one magnification.
void frames(HeatMapView& view, ColourBar& bar, int count, const std::string& at)
{
    const QPoint middle = view.rect().center();
    Row pan{"pan, " + at, {}};
    QTest::mousePress(&view, Qt::LeftButton, {}, middle);
    for (int i = 0; i < count; ++i) {
        const QPoint to = middle + QPoint(i % 40 - 20, (i / 3) % 30 - 15);
        pan.ms.push_back(milliseconds([&] {
            QTest::mouseMove(&view, to);
            view.repaint();
        }));
    }
    QTest::mouseRelease(&view, Qt::LeftButton, {}, middle);
    Row hover{"hover, " + at, {}};
    for (int i = 0; i < count; ++i) {
        const QPoint to = middle + QPoint(i % 200 - 100, (i * 7) % 150 - 75);
        hover.ms.push_back(milliseconds([&] {
            QTest::mouseMove(&view, to);
            view.repaint();
        }));
    }
    Row range{"range drag, " + at, {}};
    const int x = 2 * bar.fontMetrics().height() + 3;
    QTest::mousePress(&bar, Qt::LeftButton, {}, {x, static_cast<int>(bar.handle_y(1))});
    for (int i = 0; i < count; ++i) {
        const double position = 0.3 + 0.6 * (i % 50) / 50.0;
        range.ms.push_back(milliseconds([&] {
            QTest::mouseMove(&bar, {x, static_cast<int>(bar.handle_y(position))});
            bar.repaint();
            view.repaint();
        }));
    }
    QTest::mouseRelease(&bar, Qt::LeftButton, {}, {x, static_cast<int>(bar.handle_y(0.9))});
    bar.set_range({});
    view.set_range({});
    for (const Row* row : {&pan, &hover, &range}) {
        print(*row, frame_median, frame_worst);
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    QApplication application(argc, argv);
    const int count = argc > 1 ? std::max(10, std::atoi(argv[1])) : 300;
    const QTemporaryDir folder;
    const std::string path = folder.filePath("mirror.tst").toStdString();
    {
        const auto source = make_trace_source(launch());
        TraceWriter writer(path, "bench");
        const std::int64_t reads = write_native(writer, *source, traced_launch(*source));
        writer.finish();
        std::printf("%d x %d texels, %.1f M reads (%d a work-item)\n\n", side, side,
                    static_cast<double>(reads) / 1e6, reads_of_item);
    }
    StudyForm form;
    form.shape = "16,16,16";
    MainWindow window(form, false);
    window.show();
    QSignalSpy shown(&window.session(), &Session::shown_anew);
    QSignalSpy cancelled(&window.session(), &Session::cancelled);
    window.run();
    if (!wait_until([&] { return shown.count() == 1; })) {
        std::fputs("the first study did not end\n", stderr);
        return 1;
    }
    auto& progress = *window.findChild<QProgressBar*>("progress");
    std::printf("%-34s %6s %8s %8s\n", "milliseconds", "times", "median", "worst");
    Row opening{"opening until progress is shown", {}};
    Row cancelling{"cancel until it is done", {}};
    for (int i = 0; i < 5; ++i) {
        opening.ms.push_back(milliseconds([&] {
            window.open(QString::fromStdString(path));
            (void)wait_until([&] { return progress.isVisible(); });
            progress.repaint();
        }));
        QTest::qWait(300 + 400 * i);
        cancelling.ms.push_back(milliseconds([&] {
            window.session().jobs().cancel_latest();
            (void)wait_until([&] { return cancelled.count() == i + 1; });
        }));
    }
    print(opening, answer_worst, answer_worst);
    print(cancelling, answer_worst, answer_worst);
    double simulated = 0;
    Row deaf{"deaf while it simulates", {}};
    {
        const Deafness deafness;
        simulated = milliseconds([&] {
            window.open(QString::fromStdString(path));
            (void)wait_until([&] { return shown.count() == 2; });
        });
        deaf.ms.push_back(deafness.worst());
    }
    print(deaf, answer_worst, answer_worst);
    if (!window.session().trace()) {
        std::fputs("the trace was not shown\n", stderr);
        return 1;
    }
    auto& view = *window.findChild<HeatMapView*>();
    auto& bar = *window.findChild<ColourBar*>();
    auto& quantity = *window.findChild<QComboBox*>("quantity");
    const auto shows = [&](int choice) {
        return view.picture() &&
               view.picture()->quantity == to_text(static_cast<HeatChoice>(choice)) &&
               view.extent().width == side;
    };
    quantity.setCurrentIndex(static_cast<int>(HeatChoice::misses));
    (void)wait_until([&] { return shows(static_cast<int>(HeatChoice::misses)); });
    view.repaint();
    frames(view, bar, count, "whole image");
    Row zoom{"zoom", {}};
    const QPointF corner = QRectF(view.rect()).center() + QPointF(60, 40);
    for (int i = 0; i < count; ++i) {
        zoom.ms.push_back(milliseconds([&] {
            wheel(view, corner, (i / 20) % 2 == 0 ? 1 : -1);
            view.repaint();
        }));
    }
    print(zoom, frame_median, frame_worst);
    view.fit();
    wheel(view, corner, 8);
    frames(view, bar, count, "a texel a pixel or so");
    wheel(view, corner, 14);
    frames(view, bar, count, "large texels");
    view.fit();
    Row switching{"another quantity", {}};
    {
        const Deafness deafness;
        for (int i = 0; i < 12; ++i) {
            switching.ms.push_back(milliseconds([&] {
                quantity.setCurrentIndex(i % 6);
                (void)wait_until([&] { return shows(i % 6); });
                view.repaint();
            }));
        }
        print(switching, 1e9, 1e9);
        print({"deaf while it is prepared", {deafness.worst()}}, frame_worst, frame_worst);
    }
    std::printf("\nopening, with the simulations: %.1f s; the view is %d x %d pixels\n",
                simulated / 1e3, view.width(), view.height());
    return 0;
}
