#pragma once

#include "gui/study/session.hpp"

#include <QMainWindow>
#include <optional>
#include <string>

class QDockWidget;
class QLabel;

namespace texelscope::gui {

class HeatMapPanel;
class StudyFiles;
class StudyPanel;
class Tour;

/// The workbench: the heat map in the middle, everything else in docks around it, see dock_rows(); one session.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// `settings`: whether the window's layout is read at the start and saved at the end.
    MainWindow(const StudyForm& form, bool settings, QWidget* parent = nullptr);

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
    /// A second window beside this one, with the study as it is written down here. It deletes itself when it is closed.
    MainWindow* new_window();
    /// Asks whether to take the tour, where neither this nor a study was ever seen on this machine.
    void offer_tour_once();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void build_middle();
    void build_menus();
    void connect_files();
    void connect_session();
    void begin_tour();
    void end_tour();
    void run_trace_of(const QString& path, int launch);
    void run_form(const StudyForm& form);
    void open_report(const QString& path);

    bool settings_;
    Session session_;
    QList<QDockWidget*> docks_; ///< one for each of dock_rows()
    StudyPanel* panel_ = nullptr;
    HeatMapPanel* heat_map_ = nullptr;
    StudyFiles* files_ = nullptr;
    Tour* tour_ = nullptr;
    QLabel* summary_ = nullptr;
    QByteArray default_layout_;
    /// What comes back when the tour ends.
    struct BeforeTour {
        StudyForm form;
        QString path; ///< of its file; may be empty
    };
    std::optional<BeforeTour> before_tour_; ///< nothing where another file was opened since
};

} // namespace texelscope::gui
