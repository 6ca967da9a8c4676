#include "gui/shell/main_window.hpp"

#include "base/atomic_file.hpp"
#include "gui/heat_map/heat_map_panel.hpp"
#include "gui/heat_map/playback_bar.hpp"
#include "gui/shell/docks.hpp"
#include "gui/study/compare_strip.hpp"
#include "gui/study/study_files.hpp"
#include "gui/study/study_panel.hpp"
#include "gui/study/trace_strip.hpp"
#include "gui/tour/tour.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/plain_texts.hpp"
#include "gui/widgets/theme.hpp"
#include "workbench/study/study.hpp"

#include <QCloseEvent>
#include <QDesktopServices>
#include <QDragEnterEvent>
#include <QLabel>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QUrl>
#include <QVBoxLayout>
#include <utility>

namespace texelscope::gui {
namespace {

constexpr QSize first_size{1500, 940};

} // namespace

MainWindow::MainWindow(const StudyForm& form, bool settings, const JobRunnerOptions& devices,
                       QWidget* parent)
    : QMainWindow(parent), settings_(settings), session_(form, devices)
{
    setObjectName("main_window");
    setWindowTitle(tr("Texelscope"));
    setDockOptions(AnimatedDocks | AllowTabbedDocks | AllowNestedDocks);
    setCorner(Qt::TopLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::TopRightCorner, Qt::RightDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    setAcceptDrops(true);
    new PlainTexts(this);
    if (const Theme theme = saved_theme(settings_); theme != Theme::system) {
        apply(theme); // another style forgets how large docks were to be
    }
    build_middle();
    docks_ = add_docks(*this, session_);
    panel_ = findChild<StudyPanel*>();
    session_.written_form = [this] { return panel_->form(); };
    files_ = new StudyFiles(this, session_.written_form, settings_);
    tour_ = new Tour(*this);
    summary_ = new QLabel;
    statusBar()->addPermanentWidget(summary_);
    build_menus();
    build_start_page();
    connect_files();
    connect_session();
    connect(tour_, &Tour::started, this, &MainWindow::begin_tour);
    connect(tour_, &Tour::ended, this, &MainWindow::end_tour);
    session_.find_devices();
    resize(first_size);
    default_layout_ = saveState(layout_version);
    if (settings_) {
        const QSettings saved = window_settings();
        restoreGeometry(saved.value("window/geometry").toByteArray());
        restoreState(saved.value("window/layout").toByteArray(), layout_version);
    }
}

void MainWindow::build_middle()
{
    auto* trace = new TraceStrip;
    auto* compare = new CompareStrip;
    heat_map_ = new HeatMapPanel;
    // From top to bottom: what trace is shown, what is compared, the heat map.
    auto* middle = new QWidget;
    auto* layout = new QVBoxLayout(middle);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(trace);
    layout->addWidget(compare);
    layout->addWidget(heat_map_, 1);
    middle_ = new QStackedWidget;
    middle_->addWidget(middle);
    setCentralWidget(middle_);
    middle_->setAccessibleName(tr("Heat map"));
    middle_->setFocusProxy(&heat_map_->view());

    connect(trace, &TraceStrip::launch_chosen, this, &MainWindow::run_trace_of);
    connect(trace, &TraceStrip::closed, this, [this] {
        if (!session_.close_trace()) {
            run();
        }
    });
    connect(compare, &CompareStrip::chosen, this,
            [this](ShownLaunch which) { heat_map_->compare(session_.kept().launch, which); });
    connect(compare, &CompareStrip::swapped, &session_, &Session::swap);
    connect(compare, &CompareStrip::forgotten, &session_, &Session::forget);
    connect(&heat_map_->view(), &HeatMapView::hovered, &session_, &Session::said);
    connect(&heat_map_->playback(), &PlaybackBar::started, this, [this] {
        PlaybackBar& playback = heat_map_->playback();
        session_.jobs().started(
            "playback", [&] { return playback.recording_now(); }, [&] { playback.cancel(); });
    });
    connect(heat_map_, &HeatMapPanel::counting_started, this, [this] {
        session_.jobs().started(
            "heat map", [this] { return heat_map_->counting(); },
            [this] { heat_map_->cancel_counting(); });
    });
    connect(&session_, &Session::study_shown, trace, [this, trace] {
        trace->hide();
        heat_map_->show_study(session_.study());
    });
    connect(&session_, &Session::trace_shown, trace, [this, trace] {
        heat_map_->show_study(session_.trace());
        trace->show_trace(*session_.trace());
    });
    connect(&session_, &Session::compared, compare, [this, compare] {
        const ShownResult a = session_.shown();
        const ShownResult& b = session_.kept();
        if (b.launch) {
            compare->show_launches(*a.launch, *b.launch, a.study && b.study);
        } else {
            compare->hide();
        }
        heat_map_->compare(b.launch, compare->shown());
    });
}

void MainWindow::connect_files()
{
    connect(files_, &StudyFiles::opened, this, [this](const StudyForm& form) {
        before_tour_.reset();
        run_form(form);
    });
    connect(files_, &StudyFiles::trace_opened, this, [this](const QString& path) {
        before_tour_.reset();
        run_trace_of(path, 0);
    });
    connect(files_, &StudyFiles::store_opened, &session_, &Session::store_opened);
    connect(files_, &StudyFiles::report_opened, this, &MainWindow::open_report);
    connect(files_, &StudyFiles::network_opened, &session_, &Session::network_opened);
    connect(files_, &StudyFiles::failed, &session_, &Session::refused);
    connect(files_, &StudyFiles::saved, this,
            [this](const QString& path) { emit session_.said(tr("Saved %1").arg(path)); });
}

void MainWindow::connect_session()
{
    connect(&session_, &Session::study_shown, this, [this] {
        const StudyRequest& request = session_.study()->request;
        summary_->setText(QString::fromStdString(to_string(request.op) + "   " +
                                                 to_string(request.schedule) + "   " +
                                                 request.device.name));
        setWindowTitle(tr("%1 – Texelscope").arg(summary_->text()));
    });
    connect(&session_, &Session::trace_shown, this, [this] {
        summary_->setText(
            QString::fromStdString(session_.trace()->name + "   " + session_.trace()->device_name));
    });
    connect(panel_, &StudyPanel::run_requested, this, [this](const StudyRequest& request) {
        show_workbench();
        session_.run(request, panel_->form());
    });
    connect(panel_, &StudyPanel::cancel_requested, &session_, &Session::cancel);
    connect(&session_, &Session::progressed, panel_, &StudyPanel::show_progress);
    connect(&session_, &Session::shown_anew, panel_, &StudyPanel::show_idle);
    connect(&session_, &Session::failed, panel_, &StudyPanel::show_error);
    connect(&session_, &Session::refused, panel_, &StudyPanel::show_error);
    connect(&session_, &Session::cancelled, panel_,
            [this] { panel_->show_idle(tr("Cancelled.")); });
    connect(&session_, &Session::form_restored, panel_, &StudyPanel::set_form);
    connect(&session_, &Session::form_chosen, this,
            [this](const StudyForm& form, const QString& note) {
                run_form(form);
                uncover();
                if (!note.isEmpty()) {
                    emit session_.said(note);
                }
            });
    connect(&session_, &Session::configuration_chosen, this, [this](const Schedule& schedule) {
        panel_->set_config(to_string(schedule));
        run();
    });
    connect(&session_, &Session::configuration_proposed, this, [this](const Schedule& schedule) {
        panel_->set_config(to_string(schedule));
        emit session_.said(tr("F5 runs %1").arg(QString::fromStdString(to_string(schedule))));
    });
    connect(&session_, &Session::asked_for, this, [this](QWidget* part) {
        show_workbench();
        raise_dock(*dock_around(part));
    });
    connect(&session_, &Session::said, this,
            [this](const QString& line) { statusBar()->showMessage(line); });
}

void MainWindow::run()
{
    panel_->run();
}

void MainWindow::run_form(const StudyForm& form)
{
    panel_->set_form(form);
    run();
}

void MainWindow::run_trace_of(const QString& path, int launch)
{
    try {
        TraceRequest request{path.toStdString(), launch, device_of(panel_->form())};
        show_workbench();
        session_.run(std::move(request));
    } catch (const std::exception& error) {
        emit session_.failed(error.what());
    }
}

void MainWindow::uncover()
{
    const QRect middle(middle_->mapToGlobal(QPoint()), middle_->size());
    for (qsizetype i = 0; i < docks_.size(); ++i) {
        const bool own_window = dock_rows()[static_cast<std::size_t>(i)].place == DockPlace::window;
        if (own_window && docks_[i]->isFloating() &&
            docks_[i]->frameGeometry().intersects(middle)) {
            docks_[i]->hide();
        }
    }
}

MainWindow* MainWindow::new_window()
{
    constexpr QPoint beside{40, 40};
    auto* next = new MainWindow(panel_->form(), settings_, session_.devices());
    next->setAttribute(Qt::WA_DeleteOnClose);
    next->resize(size());
    next->move(pos() + beside);
    next->show();
    next->run();
    return next;
}

void MainWindow::open_report(const QString& path)
{
    if (QDesktopServices::openUrl(QUrl::fromLocalFile(path))) {
        emit session_.said(tr("The browser shows %1").arg(path));
    } else {
        emit session_.refused(
            tr("%1: no browser could be started; open the report with one by hand").arg(path));
    }
}

void MainWindow::export_heat_map(const std::string& path)
{
    try {
        write_file_atomically(path, heat_map_->picture());
        emit session_.said(tr("Wrote %1").arg(QString::fromStdString(path)));
    } catch (const std::exception& error) {
        emit session_.refused(error.what());
    }
}

void MainWindow::restore_default_layout()
{
    show_workbench();
    restoreState(default_layout_, layout_version);
}

void MainWindow::show_problem(const QString& line)
{
    auto* label = new QLabel;
    set_note_text(*label, line, true);
    label->setObjectName("problem");
    label->setToolTip(line);
    // A long line does not widen the window.
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    statusBar()->insertPermanentWidget(0, label, 1); // messages pass beside it
}

void MainWindow::open(const QString& path)
{
    files_->open(path);
}

void MainWindow::begin_tour()
{
    show_workbench();
    if (!before_tour_) {
        before_tour_ = BeforeTour{panel_->form(), files_->path()};
    }
    files_->set_path({}); // or Ctrl+S would replace a study by the example
    run_form(example_study());
}

void MainWindow::end_tour()
{
    const auto before = std::exchange(before_tour_, std::nullopt);
    if (before && before->form != example_study()) {
        files_->set_path(before->path);
        run_form(before->form);
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    open(event->mimeData()->urls().front().toLocalFile());
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    // Work under way would keep the process alive behind a closed window.
    session_.jobs().cancel_all();
    if (settings_) {
        QSettings saved = window_settings();
        // The tour's example is not what the user was working on.
        const StudyForm form = before_tour_ ? before_tour_->form : panel_->form();
        // otherwise nobody has asked for anything yet
        const bool asked = !covered_layout_ || session_.shown().launch;
        if (asked && !form.given) { // which no file holds
            saved.setValue("session/study", QString::fromStdString(to_xml(form)));
        }
        saved.setValue("window/geometry", saveGeometry());
        saved.setValue("window/layout",
                       covered_layout_ ? *covered_layout_ : saveState(layout_version));
    }
    QMainWindow::closeEvent(event);
}

} // namespace texelscope::gui
