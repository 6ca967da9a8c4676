#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "devices/runners/job_runner_options.hpp"
#include "workbench/study/checked_run.hpp"
#include "workbench/study/study.hpp"

#include <QWidget>
#include <string>

class QFormLayout;
class QLabel;
class QPlainTextEdit;
class QProgressBar;

namespace texelscope::gui {

/// A kernel as it is to be run: the nest of an operator under one schedule.
struct KernelRunRequest {
    Operator op;
    LoopNest nest;
    DevicePlace place;
    std::uint64_t seed = 1;
    int samples = 7;
};

struct KernelRun {
    OpenClDeviceInfo device;
    CheckedRun run;
    double flops = 0; ///< of the operator
};

/// Opens the device, computes the reference, builds, runs and checks. Throws missing where there is
/// no such device, Interrupted when `stop` answers true; whatever the device makes of the kernel is
/// the result's status.
[[nodiscard]] KernelRun run_kernel(const KernelRunRequest& request, const Progress& progress = {},
                                   const StopToken& stop = {});

class PlotCanvas;

/// What is known of a kernel's run: its launch beforehand, then time, samples, check, and what the
/// compiler says.
class KernelRunView : public QWidget {
    Q_OBJECT

public:
    explicit KernelRunView(QWidget* parent = nullptr);

    /// Another kernel, which has not been run.
    void show_launch(const LoopNest& nest);
    void show_run(const KernelRun& run);
    void show_progress(const QString& stage, double fraction);
    /// A line about the run as a whole, alone.
    void show_note(const QString& line, bool error = false);

    [[nodiscard]] QString note() const;

private:
    void show_log(const std::string& log);

    QLabel* note_;
    QProgressBar* progress_;
    QFormLayout* rows_;
    QLabel* launch_;
    QLabel* images_;
    QLabel* time_;
    PlotCanvas* samples_;
    QLabel* check_;
    QPlainTextEdit* log_;
};

} // namespace texelscope::gui
