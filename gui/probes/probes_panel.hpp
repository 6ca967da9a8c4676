#pragma once

#include "gui/probes/probe_model.hpp"
#include "gui/widgets/background_job.hpp"
#include "workbench/probes/probe_run.hpp"

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;
class QTableView;

namespace texelscope::gui {

class OpenClDeviceBox;
class ProbeView;
class Session;

/// What probes found on a device.
struct ProbedDevice {
    /// Where they ran, to know whether the next ones run there, too; empty for a folder's.
    std::string on;
    TargetInfo info;
    ProbeRecords records;
};

/// Microbenchmarks: run on the study's device in the simulator, or on an OpenCL device; or read
/// from a folder. It is the window's side of the command `probe`. Records of one device add up from
/// run to run; another device starts anew.
class ProbesPanel : public QWidget {
    Q_OBJECT

public:
    explicit ProbesPanel(Session& session);

    /// Shows the records of a folder, as probe --out writes them. Throws bad_input where there are
    /// none, and leaves what is shown.
    void open_folder(const std::string& folder);
    /// Runs these, and those that they need, in the background.
    void run(const std::vector<const Probe*>& chosen);
    /// The probe that is running ends where it is; those that are done are kept. A second time
    /// drops them.
    void cancel();
    [[nodiscard]] bool running() const { return job_.running(); }
    [[nodiscard]] const ProbedDevice& device() const { return device_; }

signals:
    void ended();

private:
    QWidget* build_side();
    void ask_and_open();
    [[nodiscard]] std::vector<const Probe*> selected() const;
    void show_chosen();
    void show_device(ProbedDevice device);
    void show_state();
    void end_with(const QString& line, bool error);

    Session& session_;
    ProbeModel* model_;
    QTableView* list_;
    OpenClDeviceBox* opencl_;
    QPushButton* run_;
    QPushButton* run_all_;
    QPushButton* cancel_;
    QProgressBar* progress_;
    QLabel* note_;
    ProbeView* view_;
    ProbedDevice device_;
    bool stopping_ = false;
    BackgroundJob<ProbedDevice> job_;
};

} // namespace texelscope::gui
