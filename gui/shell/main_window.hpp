#pragma once

#include "gui/study/session.hpp"

#include <QMainWindow>
#include <optional>
#include <string>

class QDockWidget;
class QLabel;
class QStackedWidget;

namespace texelscope::gui {

struct GalleryEntry;
struct GalleryWalks;
class HeatMapPanel;
class StartPage;
class StudyFiles;
class StudyPanel;
class Tour;

/// The workbench: the heat map in the middle, everything else in docks around it, see dock_rows();
/// one session. In their place there can be the start page.
///
/// The window puts the parts together and connects them to the session: forms to run, files to
/// open, what the status bar says. What a part shows is the part's own business.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// `settings`: whether the window's layout is read at the start and saved at the end.
    /// `devices`: how OpenCL devices are opened.
    MainWindow(const StudyForm& form, bool settings, const JobRunnerOptions& devices = {},
               QWidget* parent = nullptr);

    [[nodiscard]] Session& session() { return session_; }

    /// Runs what the study panel says.
    void run();
    /// Writes a file; an error is shown in the study panel.
    void export_heat_map(const std::string& path);
    void restore_default_layout();
    /// Opens a file of any kind that file_kind() knows; an error is shown in the study panel.
    void open(const QString& path);
    /// A line about something that is wrong and does not keep the study from running.
    void show_problem(const QString& line);
    /// A second window beside this one, with the study as it is written down here. It deletes
    /// itself when it is closed.
    MainWindow* new_window();
    /// In the place of the heat map and of all docks, until something is run or a dock is asked
    /// for. `go_on`: the form is a study of an earlier session, to go on with.
    void show_start_page(bool go_on = false);
    /// Heat map and docks as they were before the start page.
    void show_workbench();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    /// Of saved layouts; docks that have come since keep their places in the default one.
    static constexpr int layout_version = 3;

    void build_middle();
    void build_start_page();
    void build_menus();
    void connect_files();
    void connect_session();
    void begin_tour();
    void end_tour();
    void run_trace_of(const QString& path, int launch);
    void run_form(const StudyForm& form);
    void open_entry(const GalleryEntry& entry);
    void open_walks(const GalleryWalks& walks);
    void open_report(const QString& path);
    /// Hides the docks in windows of their own that lie over the heat map; their keys and View
    /// bring them back as they were.
    void uncover();

    bool settings_;
    Session session_;
    QList<QDockWidget*> docks_; ///< one for each of dock_rows()
    StudyPanel* panel_ = nullptr;
    QStackedWidget* middle_ = nullptr; ///< the start page, or the heat map
    StartPage* start_ = nullptr;
    HeatMapPanel* heat_map_ = nullptr;
    StudyFiles* files_ = nullptr;
    Tour* tour_ = nullptr;
    QLabel* summary_ = nullptr;
    QByteArray default_layout_;
    /// What the start page hides; nothing while it is not shown.
    std::optional<QByteArray> covered_layout_;
    /// What comes back when the tour ends.
    struct BeforeTour {
        StudyForm form;
        QString path; ///< of its file; may be empty
    };
    std::optional<BeforeTour> before_tour_; ///< nothing where another file was opened since
};

} // namespace texelscope::gui
