#pragma once

#include "gui/widgets/background_job.hpp"
#include "workbench/study/crosscheck.hpp"
#include "workbench/study/study.hpp"

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;
class QSortFilterProxyModel;
class QSpinBox;
class QTableView;

namespace texelscope::gui {

class CrosscheckModel;
class CrosscheckPlot;
class OpenClDeviceBox;
class Session;

/// Model, simulator and device on the same sample of configurations: a table, a scatter plot of two
/// of them, and how well they agree. A row selected in the one is selected in the other; a double
/// click or Enter chooses its configuration.
class CrosscheckPanel : public QWidget {
    Q_OBJECT

public:
    explicit CrosscheckPanel(Session& session);

    /// Sets the study that runs are about from now on. Rows of another operator or profile are
    /// dropped, and a run on them is cancelled.
    void show_study(std::shared_ptr<const StudyResult> study);
    void show_devices(const std::vector<OpenClDeviceInfo>& devices);

    void run();
    /// Stops a run; the rows that are judged by then stay. If the run is stopping already, it is
    /// abandoned and its rows are lost.
    void cancel();
    [[nodiscard]] bool running() const { return job_.running(); }
    [[nodiscard]] const CrosscheckResult& result() const;

    /// Writes the table to a file; an error is shown above it.
    void export_table(const std::string& path);

signals:
    /// A run is over: done, failed or cancelled.
    void ended();

private:
    QWidget* build_run_row();
    QWidget* build_table();
    void fit_columns();
    void connect_parts();
    /// Chooses the device that the study's profile describes, or else none: the times of another
    /// device say nothing about the profile.
    void choose_device();
    void show_result(const CrosscheckResult& result);
    void show_buttons();
    void select_rows(const std::vector<int>& rows);
    /// The session's selection of configurations is shared by all docks. select_from_table() tells
    /// it what the user selected here, follow() shows what was selected elsewhere; `marking_` keeps
    /// the one from setting off the other.
    void select_from_table();
    void follow();
    /// Selects the row of the study's own configuration.
    void select_own();
    void choose(const QModelIndex& index);
    void ask_and_export();
    void end_with(const QString& line, bool error);

    std::shared_ptr<const StudyResult> study_;
    Session& session_;
    bool marking_ = false; ///< the selection is set from here, not by the user
    CrosscheckModel* model_;
    QSortFilterProxyModel* sorted_;
    OpenClDeviceBox* device_;
    std::vector<OpenClDeviceInfo> devices_;
    QSpinBox* samples_;
    QPushButton* run_;
    QPushButton* cancel_;
    QPushButton* copy_;
    QPushButton* export_;
    QProgressBar* progress_;
    QLabel* note_;
    QTableView* table_;
    CrosscheckPlot* plot_;
    bool stopping_ = false; ///< the run was asked to end where it is
    BackgroundJob<CrosscheckResult> job_;
};

} // namespace texelscope::gui
