#pragma once

#include "gui/kernel/kernel_run.hpp"

#include <QWidget>

class QFormLayout;
class QLabel;
class QPlainTextEdit;
class QProgressBar;

namespace texelscope::gui {

class StripPlot;

/// What is known of a kernel's run: its launch beforehand, then time, samples, check, and what the compiler says.
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
    StripPlot* samples_;
    QLabel* check_;
    QPlainTextEdit* log_;
};

} // namespace texelscope::gui
