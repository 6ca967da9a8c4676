#include "gui/shell/main_window.hpp"

#include "base/atomic_file.hpp"
#include "gui/cross_check/crosscheck_panel.hpp"
#include "gui/device/device_panel.hpp"
#include "gui/heat_map/heat_map_panel.hpp"
#include "gui/heat_map/playback_bar.hpp"
#include "gui/kernel/kernel_panel.hpp"
#include "gui/plots/cache_panel.hpp"
#include "gui/plots/histogram_panel.hpp"
#include "gui/plots/roofline_panel.hpp"
#include "gui/ranking/ranked_space.hpp"
#include "gui/ranking/ranking_panel.hpp"
#include "gui/shell/dock_navigation.hpp"
#include "gui/shell/shortcut_sheet.hpp"
#include "gui/store/store_panel.hpp"
#include "gui/study/compare_strip.hpp"
#include "gui/study/key_figures.hpp"
#include "gui/study/quantities_window.hpp"
#include "gui/study/results_panel.hpp"
#include "gui/study/study_files.hpp"
#include "gui/study/study_panel.hpp"
#include "gui/study/trace_strip.hpp"
#include "gui/tour/tour.hpp"
#include "gui/widgets/note_page.hpp"
#include "gui/widgets/note_text.hpp"
#include "gui/widgets/number_text.hpp"
#include "gui/widgets/theme.hpp"
#include "gui/widgets/window_settings.hpp"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QScrollArea>
#include <QStatusBar>
#include <QUrl>
#include <QVBoxLayout>
#include <type_traits>
#include <utility>

namespace texelscope::gui {
namespace {

constexpr int layout_version = 3; // raise it when docks come or go: older saved layouts are then left alone
constexpr QSize first_size{1500, 940};

Theme saved_theme(bool settings)
{
    const int saved = settings ? window_settings().value("window/theme").toInt() : 0;
    return saved == static_cast<int>(Theme::light) || saved == static_cast<int>(Theme::dark) ? static_cast<Theme>(saved)
                                                                                             : Theme::system;
}

} // namespace

MainWindow::MainWindow(const StudyForm& form, bool settings, QWidget* parent)
    : QMainWindow(parent), settings_(settings),
      opencl_devices_({[](const QString&, double) {}, [this](const auto& devices) { show_opencl_devices(*devices); },
                       [this](const QString& line) {
                           show_opencl_devices({});
                           statusBar()->showMessage(line);
                       },
                       [] {}})
{
    setObjectName("main_window");
    setWindowTitle(tr("Texelscope"));
    setDockOptions(AnimatedDocks | AllowTabbedDocks | AllowNestedDocks);
    setCorner(Qt::TopLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::TopRightCorner, Qt::RightDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    setAcceptDrops(true);
    if (const Theme theme = saved_theme(settings_); theme != Theme::system) {
        apply(theme); // another style forgets how large docks were to be
    }
    build_docks(form);
    files_ = new StudyFiles(
        this, [this] { return panel_->form(); }, settings_);
    tour_ = new Tour(*this);
    summary_ = new QLabel;
    statusBar()->addPermanentWidget(summary_);
    build_menus();
    connect_parts();
    opencl_devices_.start([](const Progress&, const StopToken&) { return opencl_devices(); });
    resize(first_size);
    default_layout_ = saveState(layout_version);
    if (settings_) {
        const QSettings saved = window_settings();
        restoreGeometry(saved.value("window/geometry").toByteArray());
        restoreState(saved.value("window/layout").toByteArray(), layout_version);
    }
}

QDockWidget* MainWindow::add_dock(const QString& title, const char* object_name, QWidget* contents,
                                  Qt::DockWidgetArea area)
{
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(object_name);
    dock->setWidget(contents);
    docks_ << dock;
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::build_docks(const StudyForm& form)
{
    heat_map_ = new HeatMapPanel;
    strip_ = new TraceStrip;
    auto* middle = new QWidget;
    auto* middle_layout = new QVBoxLayout(middle);
    middle_layout->setContentsMargins(0, 0, 0, 0);
    compare_ = new CompareStrip;
    middle_layout->addWidget(strip_);
    middle_layout->addWidget(compare_);
    middle_layout->addWidget(heat_map_, 1);
    setCentralWidget(middle);
    middle->setAccessibleName(tr("Heat map"));
    middle->setFocusProxy(&heat_map_->view());
    panel_ = new StudyPanel(form);
    auto* scroll = new QScrollArea;
    scroll->setWidget(panel_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(panel_->minimumSizeHint().width() + fontMetrics().height());
    histogram_ = new HistogramPanel;
    ranking_ = new RankingPanel;
    results_ = new ResultsPanel;
    kernel_ = new KernelPanel;
    crosscheck_ = new CrosscheckPanel;

    auto* study = add_dock(tr("Study"), "study_dock", scroll, Qt::LeftDockWidgetArea);
    auto* results = add_dock(tr("Results"), "results_dock", results_, Qt::RightDockWidgetArea);
    auto* kernel = add_dock(tr("Kernel"), "kernel_dock", with_note(kernel_), Qt::RightDockWidgetArea);
    tabifyDockWidget(results, kernel);
    device_ = new DevicePanel;
    tabifyDockWidget(kernel, add_dock(tr("Device"), "device_dock", device_, Qt::RightDockWidgetArea));
    results->raise();
    auto* ranking = add_dock(tr("Ranking"), "ranking_dock", with_note(ranking_), Qt::BottomDockWidgetArea);
    auto* histogram = add_dock(tr("Cross-block histograms"), "histogram_dock", histogram_, Qt::BottomDockWidgetArea);
    splitDockWidget(ranking, histogram, Qt::Horizontal);
    cache_ = new CachePanel;
    roofline_ = new RooflinePanel;
    tabifyDockWidget(ranking, add_dock(tr("Cache and occupancy"), "cache_dock", cache_, Qt::BottomDockWidgetArea));
    tabifyDockWidget(ranking,
                     add_dock(tr("Roofline"), "roofline_dock", with_note(roofline_), Qt::BottomDockWidgetArea));
    auto* crosscheck = add_dock(tr("Cross-check"), "crosscheck_dock", with_note(crosscheck_), Qt::BottomDockWidgetArea);
    tabifyDockWidget(ranking, crosscheck);
    store_ = new StorePanel;
    tabifyDockWidget(ranking, add_dock(tr("Stored results"), "store_dock", store_, Qt::BottomDockWidgetArea));
    ranking->raise();
    resizeDocks({study, results}, {270, 360}, Qt::Horizontal);
    resizeDocks({ranking, histogram}, {790, 410}, Qt::Horizontal);
    resizeDocks({ranking}, {300}, Qt::Vertical);
}

void MainWindow::build_menus()
{
    const auto add = [this](QMenu* menu, const QString& text, const QList<QKeySequence>& keys, auto action) {
        QAction* entry = menu->addAction(text);
        entry->setShortcuts(keys);
        connect(entry, &QAction::triggered, this, action);
        return entry;
    };
    QMenu* file = menuBar()->addMenu(tr("&File"));
    add(file, tr("&New window"), {QKeySequence(tr("Ctrl+N"))}, [this] { new_window(); });
    files_->add_to(*file);
    add(file, tr("Export &heat map…"), {QKeySequence(tr("Ctrl+E"))}, [this] {
        ask_and_save(tr("Export heat map"), "heatmap.png", tr("PNG images (*.png)"), &MainWindow::export_heat_map);
    });
    add(file, tr("Export &ranking…"), {QKeySequence(tr("Ctrl+Shift+E"))}, [this] {
        ask_and_save(tr("Export ranking"), "ranking.csv", tr("CSV tables (*.csv)"), &MainWindow::export_ranking);
    });
    file->addSeparator();
    add(file, tr("&Quit"), {QKeySequence(tr("Ctrl+Q"))}, [] { QApplication::closeAllWindows(); });

    QMenu* study = menuBar()->addMenu(tr("&Study"));
    add(study, tr("&Run"), {QKeySequence(tr("F5")), QKeySequence(tr("Ctrl+R"))}, [this] { run(); });
    add(study, tr("&Cancel"), {QKeySequence(tr("Esc"))}, [this] { cancel(); });
    study->addSeparator();
    add(study, tr("Run k&ernel"), {QKeySequence(tr("F6"))}, [this] {
        raise_dock("kernel_dock");
        if (!trace_) { // otherwise the dock says what to do
            kernel_->run();
        }
    });
    add(study, tr("Cross-chec&k"), {QKeySequence(tr("F7"))}, [this] {
        raise_dock("crosscheck_dock");
        if (!trace_) {
            crosscheck_->run();
        }
    });

    study->addSeparator();
    add(study, tr("Keep as &B"), {QKeySequence(tr("Ctrl+B"))}, [this] { keep_for_comparison(); });
    add(study, tr("S&wap A and B"), {QKeySequence(tr("Ctrl+Shift+B"))}, [this] { swap_compared(); });
    add(study, tr("&Forget B"), {}, [this] { end_comparison(); });

    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (QDockWidget* dock : findChildren<QDockWidget*>()) {
        view->addAction(dock->toggleViewAction());
    }
    view->addSeparator();
    add_go_to_menu(*view, *this, docks_);
    add_theme_menu(*view);
    add(view, tr("Restore &default layout"), {}, [this] { restore_default_layout(); });

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    add(help, tr("&Quantities"), {QKeySequence(tr("F1"))}, [this] {
        const QDockWidget* dock = dock_with_focus(*this);
        show_quantity(dock == nullptr ? QStringLiteral("heat_map") : dock->objectName());
    });
    add(help, tr("&Keyboard and mouse"), {QKeySequence(tr("?"))}, [this] {
        auto* sheet = new ShortcutSheet(this);
        sheet->setAttribute(Qt::WA_DeleteOnClose);
        sheet->open();
    });
    add(help, tr("&Tour"), {}, [this] { tour_->start(); });
    add(help, tr("&About"), {}, [this] {
        auto* about = new QMessageBox(QMessageBox::Information, tr("About Texelscope"),
                                      tr("Texelscope %1\n\nA workbench for the 2D texture memory of mobile GPUs.")
                                          .arg(QStringLiteral(TEXELSCOPE_VERSION)),
                                      QMessageBox::Close, this);
        about->setAttribute(Qt::WA_DeleteOnClose);
        about->open();
    });
}

void MainWindow::add_theme_menu(QMenu& view)
{
    QMenu* menu = view.addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    const auto saved = static_cast<int>(saved_theme(settings_));
    for (const auto& [name, theme] : {std::pair{tr("&System"), Theme::system}, std::pair{tr("&Light"), Theme::light},
                                      std::pair{tr("&Dark"), Theme::dark}}) {
        QAction* entry = group->addAction(menu->addAction(name));
        entry->setCheckable(true);
        entry->setChecked(saved == static_cast<int>(theme));
        connect(entry, &QAction::triggered, this, [this, theme = theme] {
            apply(theme);
            if (settings_) {
                window_settings().setValue("window/theme", static_cast<int>(theme));
            }
        });
    }
}

void MainWindow::connect_parts()
{
    connect(files_, &StudyFiles::opened, this, [this](const StudyForm& form) {
        before_tour_.reset();
        panel_->set_form(form);
        run();
    });
    connect(files_, &StudyFiles::trace_opened, this, [this](const QString& path) {
        before_tour_.reset();
        start_trace(path, 0);
    });
    connect(files_, &StudyFiles::store_opened, this, &MainWindow::open_store);
    connect(files_, &StudyFiles::report_opened, this, &MainWindow::open_report);
    connect(strip_, &TraceStrip::launch_chosen, this, &MainWindow::start_trace);
    connect(strip_, &TraceStrip::closed, this, &MainWindow::close_trace);
    connect(store_, &StorePanel::row_chosen, this, &MainWindow::run_stored);
    const auto cancels = [this](auto* panel, const char* name, auto running) {
        using Panel = std::remove_pointer_t<decltype(panel)>;
        connect(panel, &Panel::started, this, [=, this] {
            jobs_.started(
                name, [=] { return (panel->*running)(); }, [=] { panel->cancel(); });
        });
    };
    cancels(kernel_, "kernel", &KernelPanel::running);
    cancels(crosscheck_, "cross-check", &CrosscheckPanel::running);
    cancels(store_, "store", &StorePanel::running);
    cancels(ranking_, "ranking", &RankingPanel::running);
    cancels(&heat_map_->playback(), "playback", &PlaybackBar::recording_now);
    connect(heat_map_, &HeatMapPanel::counting_started, this, [this] {
        jobs_.started(
            "heat map", [this] { return heat_map_->counting(); }, [this] { heat_map_->cancel_counting(); });
    });
    connect(compare_, &CompareStrip::chosen, this,
            [this](ShownLaunch which) { heat_map_->compare(kept_ ? kept_->launch : nullptr, which); });
    connect(compare_, &CompareStrip::swapped, this, &MainWindow::swap_compared);
    connect(compare_, &CompareStrip::forgotten, this, &MainWindow::end_comparison);
    connect(tour_, &Tour::started, this, [this] { begin_tour(); });
    connect(tour_, &Tour::ended, this, [this] { end_tour(); });
    connect(files_, &StudyFiles::failed, panel_, &StudyPanel::show_error);
    connect(files_, &StudyFiles::saved, this,
            [this](const QString& path) { statusBar()->showMessage(tr("Saved %1").arg(path)); });
    connect(panel_, &StudyPanel::run_requested, this, [this](const StudyRequest& request) { start(request); });
    connect(panel_, &StudyPanel::cancel_requested, this, [this] { job_.cancel(); });
    const auto choose = [this](const Schedule& schedule) {
        panel_->set_config(to_string(schedule));
        run();
    };
    connect(ranking_, &RankingPanel::configuration_chosen, this, choose);
    ranking_->link(selection_);
    crosscheck_->link(selection_);
    roofline_->link(selection_);
    connect(kernel_, &KernelPanel::measured, ranking_, &RankingPanel::add_measured);
    connect(crosscheck_, &CrosscheckPanel::judged, ranking_,
            [this](const CrosscheckResult& result) { ranking_->add_times(result); });
    connect(crosscheck_, &CrosscheckPanel::configuration_chosen, this, choose);
    connect(roofline_, &RooflinePanel::configuration_chosen, this, [this](const Schedule& schedule) {
        panel_->set_config(to_string(schedule));
        statusBar()->showMessage(tr("F5 runs %1").arg(QString::fromStdString(to_string(schedule))));
    });
    connect(&heat_map_->view(), &HeatMapView::hovered, this,
            [this](const QString& text) { statusBar()->showMessage(text); });
    connect(&job_, &StudyJob::progressed, panel_, &StudyPanel::show_progress);
    connect(&job_, &StudyJob::finished, this, &MainWindow::show_result);
    connect(&job_, &StudyJob::trace_finished, this, &MainWindow::show_trace);
    connect(&job_, &StudyJob::failed, this, [this](const QString& line) {
        panel_->show_error(line);
        emit study_failed(line);
    });
    connect(&job_, &StudyJob::cancelled, this, [this] {
        panel_->show_idle(tr("Cancelled."));
        emit study_cancelled();
    });
}

void MainWindow::show_opencl_devices(const std::vector<OpenClDeviceInfo>& devices)
{
    kernel_->show_devices(devices);
    crosscheck_->show_devices(devices);
}

void MainWindow::raise_dock(const char* object_name)
{
    auto* dock = findChild<QDockWidget*>(object_name);
    dock->show();
    dock->raise();
}

void MainWindow::show_quantity(const QString& dock)
{
    if (quantities_ == nullptr) {
        quantities_ = new QuantitiesWindow(this);
    }
    quantities_->show_key(QStringLiteral("dock: ") + dock);
    quantities_->show();
    quantities_->raise();
    quantities_->activateWindow();
}

void MainWindow::run()
{
    panel_->run();
}

void MainWindow::cancel()
{
    jobs_.cancel_latest();
}

NotePage* MainWindow::with_note(QWidget* view)
{
    auto* page = new NotePage(view);
    operator_pages_.push_back(page);
    return page;
}

MainWindow* MainWindow::new_window()
{
    constexpr QPoint beside{40, 40};
    auto* next = new MainWindow(panel_->form(), settings_);
    next->setAttribute(Qt::WA_DeleteOnClose);
    next->resize(size());
    next->move(pos() + beside);
    next->show();
    next->run();
    return next;
}

void MainWindow::start(StudyRequest request)
{
    // Another configuration of the same operator and device does not change the ranking: the one that is there stays.
    if (study_ && study_->ranking.evaluated > 0 && same_space(study_->request, request)) {
        request.rank = false;
    }
    panel_->show_progress(tr("Starting"), 0);
    started_form_ = panel_->form();
    job_.start(std::move(request));
    jobs_.started(
        "study", [this] { return job_.running(); }, [this] { job_.cancel(); });
}

void MainWindow::start_trace(const QString& path, int launch)
{
    try {
        const DeviceProfile device = device_of(panel_->form());
        panel_->show_progress(tr("Starting"), 0);
        job_.start(TraceRequest{path.toStdString(), launch, device});
        jobs_.started(
            "study", [this] { return job_.running(); }, [this] { job_.cancel(); });
    } catch (const std::exception& error) {
        panel_->show_error(error.what());
        emit study_failed(error.what());
    }
}

void MainWindow::show_result(const std::shared_ptr<StudyResult>& result)
{
    if (!result->request.rank && study_ && same_space(study_->request, result->request)) {
        result->ranking = study_->ranking;
    }
    study_ = result;
    form_ = started_form_; // the panel may ask for another by now
    show_study();
    panel_->show_idle(tr("Done."));
    emit study_shown();
}

void MainWindow::show_launch(const std::shared_ptr<const LaunchResult>& launch)
{
    heat_map_->show_study(launch);
    show_comparison();
}

std::shared_ptr<const LaunchResult> MainWindow::present() const
{
    return trace_ ? std::shared_ptr<const LaunchResult>(trace_) : study_;
}

std::vector<KeyFigures> MainWindow::present_figures() const
{
    return trace_ ? launch_figures(*trace_) : key_figures(*study_);
}

/// What hangs on both the present launch and the one that is compared with.
void MainWindow::show_comparison()
{
    const std::shared_ptr<const LaunchResult> launch = present();
    const std::shared_ptr<const LaunchResult> other = kept_ ? kept_->launch : nullptr;
    std::vector<HistogramSeries> histograms;
    const auto add = [&](const LaunchResult& from, const StudyResult* study, const QString& which) {
        for (const StudyImage& image : from.images) {
            const QString name = which + QString::fromStdString(image.image.name);
            histograms.push_back(
                {image.pattern ? QStringLiteral("%1 (%2)").arg(name, QString::fromStdString(to_string(*image.pattern)))
                               : name,
                 image.histogram,
                 study == nullptr ? std::vector<double>{} : weights_for(image.histogram, study->calibration.thread)});
        }
    };
    add(*launch, trace_ ? nullptr : study_.get(), {});
    if (other) {
        add(*other, kept_->study.get(), tr("of B: "));
        compare_->show_launches(*launch, *other, kept_->study && !trace_);
    } else {
        compare_->hide();
    }
    histogram_->show_series(std::move(histograms));
    roofline_->compare(kept_ && !trace_ ? kept_->study : nullptr);
    results_->show_figures(present_figures(), kept_ ? kept_->figures : std::vector<KeyFigures>{});
    cache_->show_study(launch, other);
    heat_map_->compare(other, compare_->shown());
}

void MainWindow::keep_for_comparison()
{
    if (!present()) {
        statusBar()->showMessage(tr("There is nothing to keep yet: run a study first (F5)"));
        return;
    }
    kept_ = Kept{present(), trace_ ? nullptr : study_, form_, present_figures()};
    kernel_->keep_for_comparison();
    show_comparison();
    statusBar()->showMessage(tr("Kept as B. Run another configuration, or the same on another device, to compare."));
}

void MainWindow::end_comparison()
{
    if (kept_) {
        kept_.reset();
        kernel_->end_comparison();
        show_comparison();
    }
}

void MainWindow::swap_compared()
{
    if (!kept_ || !kept_->study || trace_) {
        statusBar()->showMessage(tr("There are no two studies to swap: keep one as B first (Ctrl+B)"));
        return;
    }
    Kept before{study_, study_, form_, present_figures()};
    job_.cancel();
    study_ = kept_->study;
    form_ = kept_->form;
    kept_ = std::move(before);
    kernel_->keep_for_comparison(); // which still has A's, now B's
    panel_->set_form(form_);
    show_study();
    panel_->show_idle(tr("Swapped."));
    emit study_shown();
}

void MainWindow::show_study()
{
    trace_ = nullptr;
    strip_->hide();
    for (NotePage* page : operator_pages_) {
        page->show_view();
    }
    show_launch(study_);
    ranking_->show_study(*study_);
    kernel_->show_kernel(study_->request.op, study_->nest, study_->kernel_text, study_->request.seed);
    device_->show_device(study_->request.device);
    roofline_->show_study(study_);
    summary_->setText(QString::fromStdString(to_string(study_->request.op) + "   " +
                                             to_string(study_->request.schedule) + "   " +
                                             study_->request.device.name));
    setWindowTitle(tr("%1 – Texelscope").arg(summary_->text()));
    crosscheck_->show_study(study_->request, study_->calibration);
    selection_.set({study_->request.schedule});
}

void MainWindow::show_trace(const std::shared_ptr<const TraceResult>& result)
{
    trace_ = result;
    kernel_->cancel();
    show_launch(trace_);
    device_->show_device(trace_->request.device);
    strip_->show_trace(*trace_);
    for (NotePage* page : operator_pages_) {
        page->show_note(
            tr("A trace is shown. It says which texels were read, not by which operator and configuration, and "
               "this view needs both.\n\nClose the trace, or run a study (F5)."));
    }
    summary_->setText(QString::fromStdString(trace_->name + "   " + trace_->device_name));
    panel_->show_idle(tr("Done."));
    emit study_shown();
}

void MainWindow::close_trace()
{
    if (study_) {
        show_study();
    } else {
        run();
    }
}

void MainWindow::open_store(const QString& path)
{
    raise_dock("store_dock");
    store_->open(path);
}

void MainWindow::open_report(const QString& path)
{
    if (QDesktopServices::openUrl(QUrl::fromLocalFile(path))) {
        statusBar()->showMessage(tr("The browser shows %1").arg(path));
    } else {
        panel_->show_error(tr("%1: no browser could be started; open the report with one by hand").arg(path));
    }
}

void MainWindow::run_stored(const StoreRow& row)
{
    const StoredStudy stored = study_of(row, panel_->form());
    panel_->set_form(stored.form);
    run();
    if (!stored.has_device) {
        statusBar()->showMessage(
            tr("There is no profile “%1”: the study is of %2")
                .arg(QString::fromStdString(row.device), QString::fromStdString(stored.form.device)));
    }
}

void MainWindow::save(const std::string& path, const std::function<std::string()>& bytes)
{
    try {
        write_file_atomically(path, bytes());
        statusBar()->showMessage(tr("Wrote %1").arg(QString::fromStdString(path)));
    } catch (const std::exception& error) {
        panel_->show_error(error.what());
    }
}

void MainWindow::export_heat_map(const std::string& path)
{
    save(path, [this] { return heat_map_->picture(); });
}

void MainWindow::export_ranking(const std::string& path)
{
    save(path, [this] { return ranking_->csv(false); });
}

void MainWindow::ask_and_save(const QString& title, const QString& name, const QString& filter,
                              void (MainWindow::*save_to)(const std::string&))
{
    const QString path = QFileDialog::getSaveFileName(this, title, name, filter);
    if (!path.isEmpty()) {
        (this->*save_to)(path.toStdString());
    }
}

void MainWindow::restore_default_layout()
{
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
    if (!before_tour_) {
        before_tour_ = BeforeTour{panel_->form(), files_->path()};
    }
    files_->set_path({}); // or Ctrl+S would replace a study by the example
    panel_->set_form(example_study());
    run();
}

void MainWindow::end_tour()
{
    const auto before = std::exchange(before_tour_, std::nullopt);
    if (before && before->form != example_study()) {
        panel_->set_form(before->form);
        files_->set_path(before->path);
        run();
    }
}

void MainWindow::offer_tour_once()
{
    constexpr const char* offered = "window/tour_offered";
    QSettings saved = window_settings();
    if (settings_ && !saved.contains(offered) && !saved.contains("session/study")) {
        saved.setValue(offered, true);
        tour_->offer();
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
    jobs_.cancel_all();
    if (settings_) {
        QSettings saved = window_settings();
        saved.setValue("session/study",
                       QString::fromStdString(to_xml(before_tour_ ? before_tour_->form : panel_->form())));
        saved.setValue("window/geometry", saveGeometry());
        saved.setValue("window/layout", saveState(layout_version));
    }
    QMainWindow::closeEvent(event);
}

} // namespace texelscope::gui
