#pragma once

#include "devices/opencl_device_info.hpp"
#include "gui/background_job.hpp"
#include "gui/study_form.hpp"
#include "gui/study_job.hpp"

#include <QMainWindow>
#include <functional>
#include <memory>
#include <optional>
#include <string>

class QDockWidget;
class QLabel;
class QMenu;

namespace texelscope {

class CachePanel;
class CrosscheckPanel;
class DevicePanel;
class HeatMapPanel;
class HistogramView;
class KernelPanel;
class QuantitiesWindow;
class RankingPanel;
class ResultsPanel;
class RooflinePanel;
class StudyFiles;
class StudyPanel;
class Tour;

/// The workbench: the heat map in the middle, everything else in docks around it, one study at a time.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// `settings`: whether the window's layout is read at the start and saved at the end.
    MainWindow(const StudyForm& form, bool settings, QWidget* parent = nullptr);

    /// The last good result; null before the first.
    [[nodiscard]] std::shared_ptr<const StudyResult> study() const { return study_; }

    /// Runs what the study panel says.
    void run();
    void cancel();
    /// Write files; an error is shown in the study panel.
    void export_heat_map(const std::string& path);
    void export_ranking(const std::string& path);
    void restore_default_layout();
    /// Opens a study or a device profile and runs it; an error is shown in the study panel.
    void open(const QString& path);
    /// Asks whether to take the tour, where neither this nor a study was ever seen on this machine.
    void offer_tour_once();

signals:
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
    void show_result(const std::shared_ptr<StudyResult>& result);
    void save(const std::string& path, const std::function<std::string()>& bytes);
    void ask_and_save(const QString& title, const QString& name, const QString& filter,
                      void (MainWindow::*save_to)(const std::string&));

    bool settings_;
    StudyJob job_;
    std::shared_ptr<const StudyResult> study_;

    QList<QDockWidget*> docks_; ///< in the order in which they were made
    StudyFiles* files_ = nullptr;
    Tour* tour_ = nullptr;
    QuantitiesWindow* quantities_ = nullptr; ///< made when it is first asked for
    std::optional<StudyForm> before_tour_; ///< comes back when the tour ends
    StudyPanel* panel_ = nullptr;
    HeatMapPanel* heat_map_ = nullptr;
    HistogramView* histogram_ = nullptr;
    RankingPanel* ranking_ = nullptr;
    ResultsPanel* results_ = nullptr;
    KernelPanel* kernel_ = nullptr;
    DevicePanel* device_ = nullptr;
    CachePanel* cache_ = nullptr;
    RooflinePanel* roofline_ = nullptr;
    CrosscheckPanel* crosscheck_ = nullptr;
    BackgroundJob<std::vector<OpenClDeviceInfo>> opencl_devices_;
    QLabel* summary_ = nullptr;
    QByteArray default_layout_;
};

} // namespace texelscope
