#pragma once

#include "devices/jobs/opencl_device_info.hpp"
#include "gui/store/store_table.hpp"
#include "gui/study/key_figures.hpp"
#include "gui/study/selected_configurations.hpp"
#include "gui/study/study_form.hpp"
#include "gui/study/study_job.hpp"
#include "gui/widgets/background_job.hpp"
#include "gui/widgets/cancel_order.hpp"

#include <QMainWindow>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QDockWidget;
class QLabel;
class QMenu;

namespace texelscope::gui {

class CachePanel;
class CompareStrip;
class CrosscheckPanel;
class DevicePanel;
class HeatMapPanel;
class HistogramPanel;
class KernelPanel;
class NotePage;
class QuantitiesWindow;
class RankingPanel;
class ResultsPanel;
class RooflinePanel;
class StorePanel;
class StudyFiles;
class StudyPanel;
class TraceStrip;
class Tour;

/// The workbench: the heat map in the middle, everything else in docks around it, one study or trace at a time.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// `settings`: whether the window's layout is read at the start and saved at the end.
    MainWindow(const StudyForm& form, bool settings, QWidget* parent = nullptr);

    /// The last good result; null before the first.
    [[nodiscard]] std::shared_ptr<const StudyResult> study() const { return study_; }
    /// The trace that is shown in the study's place; null where none is.
    [[nodiscard]] std::shared_ptr<const TraceResult> trace() const { return trace_; }

    /// Runs what the study panel says.
    void run();
    /// Whatever was started last and still runs.
    void cancel();
    /// Write files; an error is shown in the study panel.
    void export_heat_map(const std::string& path);
    void export_ranking(const std::string& path);
    /// Keeps what is shown as B: what is run from now on is compared with it in every view that can.
    void keep_for_comparison();
    void end_comparison();
    /// Shows B as the present study, and keeps the present one as B.
    void swap_compared();
    void restore_default_layout();
    /// Opens a file of any kind that file_kind() knows; an error is shown in the study panel.
    void open(const QString& path);
    /// A line about something that is wrong and does not keep the study from running.
    void show_problem(const QString& line);
    /// A second window beside this one, with the study as it is written down here. It deletes itself when it is closed.
    MainWindow* new_window();
    /// Asks whether to take the tour, where neither this nor a study was ever seen on this machine.
    void offer_tour_once();

signals:
    /// A study or a trace is shown.
    void study_shown();
    void study_failed(const QString& line);
    void study_cancelled();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QDockWidget* add_dock(const QString& title, const char* object_name, QWidget* contents, Qt::DockWidgetArea area);
    void build_docks(const StudyForm& form);
    void build_menus();
    void add_theme_menu(QMenu& view);
    void connect_parts();
    void show_opencl_devices(const std::vector<OpenClDeviceInfo>& devices);
    void raise_dock(const char* object_name);
    void show_quantity(const QString& dock);
    void begin_tour();
    void end_tour();
    void start(StudyRequest request);
    void start_trace(const QString& path, int launch);
    void show_result(const std::shared_ptr<StudyResult>& result);
    void show_study();
    void show_trace(const std::shared_ptr<const TraceResult>& result);
    /// Of a study or a trace, what needs no operator.
    void show_launch(const std::shared_ptr<const LaunchResult>& launch);
    void show_comparison();
    [[nodiscard]] std::shared_ptr<const LaunchResult> present() const;
    [[nodiscard]] std::vector<KeyFigures> present_figures() const;
    void close_trace();
    void open_store(const QString& path);
    void open_report(const QString& path);
    void run_stored(const StoreRow& row);
    NotePage* with_note(QWidget* view);
    void save(const std::string& path, const std::function<std::string()>& bytes);
    void ask_and_save(const QString& title, const QString& name, const QString& filter,
                      void (MainWindow::*save_to)(const std::string&));

    bool settings_;
    StudyJob job_;
    std::shared_ptr<const StudyResult> study_;
    std::shared_ptr<const TraceResult> trace_;
    StudyForm form_;         ///< that the study was run from
    StudyForm started_form_; ///< that the study under way is run from
    /// What is compared with.
    struct Kept {
        std::shared_ptr<const LaunchResult> launch;
        std::shared_ptr<const StudyResult> study; ///< null for a trace
        StudyForm form;
        std::vector<KeyFigures> figures;
    };
    std::optional<Kept> kept_;
    CancelOrder jobs_;
    SelectedConfigurations selection_;

    QList<QDockWidget*> docks_; ///< in the order in which they were made
    StudyFiles* files_ = nullptr;
    Tour* tour_ = nullptr;
    QuantitiesWindow* quantities_ = nullptr; ///< made when it is first asked for
    /// What comes back when the tour ends.
    struct BeforeTour {
        StudyForm form;
        QString path; ///< of its file; may be empty
    };
    std::optional<BeforeTour> before_tour_; ///< nothing where another file was opened since
    StudyPanel* panel_ = nullptr;
    HeatMapPanel* heat_map_ = nullptr;
    HistogramPanel* histogram_ = nullptr;
    RankingPanel* ranking_ = nullptr;
    ResultsPanel* results_ = nullptr;
    KernelPanel* kernel_ = nullptr;
    DevicePanel* device_ = nullptr;
    CachePanel* cache_ = nullptr;
    RooflinePanel* roofline_ = nullptr;
    CrosscheckPanel* crosscheck_ = nullptr;
    StorePanel* store_ = nullptr;
    TraceStrip* strip_ = nullptr;
    CompareStrip* compare_ = nullptr;
    std::vector<NotePage*> operator_pages_; ///< of the views that show nothing without an operator
    BackgroundJob<std::vector<OpenClDeviceInfo>> opencl_devices_;
    QLabel* summary_ = nullptr;
    QByteArray default_layout_;
};

} // namespace texelscope::gui
