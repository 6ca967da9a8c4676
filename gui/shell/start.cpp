#include "base/error.hpp"
#include "gui/heat_map/heat_map_panel.hpp"
#include "gui/identification/identification_panel.hpp"
#include "gui/shell/docks.hpp"
#include "gui/shell/main_window.hpp"
#include "gui/start/shipped_file.hpp"
#include "gui/start/start_page.hpp"
#include "gui/study/study_files.hpp"
#include "gui/study/study_panel.hpp"
#include "gui/tour/tour.hpp"

#include <QStackedWidget>
#include <utility>

// The start page in the window: when it is shown, and what its ways and cards open.
namespace texelscope::gui {

void MainWindow::build_start_page()
{
    start_ = new StartPage;
    middle_->addWidget(start_);
    connect(start_, &StartPage::went_on, this,
            [this] { session_.shown().launch ? show_workbench() : run(); });
    connect(start_, &StartPage::chosen, this, &MainWindow::open_entry);
    connect(start_, &StartPage::recent_chosen, this, &MainWindow::open);
    connect(start_, &StartPage::open_asked, files_, &StudyFiles::ask_and_open);
    connect(start_, &StartPage::study_asked, this, [this] {
        show_workbench();
        raise_dock(*dock_around(panel_));
        panel_->setFocus();
    });
    connect(start_, &StartPage::tour_asked, tour_, &Tour::start);
    // What is wrong stands in the study panel, which the page hides.
    connect(&session_, &Session::failed, start_, &StartPage::show_error);
    connect(&session_, &Session::refused, start_, &StartPage::show_error);
    for (QDockWidget* dock : docks_) {
        // Later, for the layout is not to be restored while a dock is being shown.
        connect(
            dock, &QDockWidget::visibilityChanged, this,
            [this, dock] {
                if (covered_layout_ && !dock->isHidden()) { // it was asked for
                    show_workbench();
                    raise_dock(*dock);
                }
            },
            Qt::QueuedConnection);
    }
}

void MainWindow::show_start_page(bool go_on)
{
    start_->show_present(go_on || session_.shown().launch ? std::optional(panel_->form())
                                                          : std::nullopt);
    start_->show_recent(files_->recent());
    start_->show_error({});
    if (!covered_layout_) {
        const QByteArray layout = saveState(layout_version);
        for (QDockWidget* dock : docks_) {
            dock->hide();
        }
        covered_layout_ = layout;
        middle_->setCurrentWidget(start_);
    }
    start_->setFocus();
}

void MainWindow::show_workbench()
{
    if (const auto layout = std::exchange(covered_layout_, std::nullopt)) {
        middle_->setCurrentIndex(0);
        restoreState(*layout, layout_version);
        heat_map_->view().setFocus();
    }
}

void MainWindow::open_entry(const GalleryEntry& entry)
{
    if (const auto* walks = std::get_if<GalleryWalks>(&entry.opens)) {
        return open_walks(*walks);
    }
    before_tour_.reset();
    files_->set_path({}); // or Ctrl+S would replace another study by this one
    heat_map_->open_next_on(entry.quantity);
    try {
        if (const auto* trace = std::get_if<GalleryTrace>(&entry.opens)) {
            const std::string path = shipped_file(trace->file);
            StudyForm form = panel_->form();
            form.device = trace->device;
            form.overrides.clear();
            panel_->set_form(form);
            run_trace_of(QString::fromStdString(path), trace->launch);
        } else {
            run_form(std::get<StudyForm>(entry.opens));
        }
        uncover();
        emit session_.said(entry.look_for);
    } catch (const Error& error) {
        emit session_.refused(error.what());
    }
}

void MainWindow::open_walks(const GalleryWalks& walks)
{
    try {
        auto* panel = findChild<IdentificationPanel*>();
        const std::string file = shipped_file(walks.walks);
        const std::string latencies = shipped_file(walks.latencies);
        show_workbench();
        go_to_dock(*dock_around(panel));
        panel->open(file, latencies);
    } catch (const Error& error) {
        emit session_.refused(error.what());
    }
}

} // namespace texelscope::gui
