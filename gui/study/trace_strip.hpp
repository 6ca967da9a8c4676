#pragma once

#include "gui/study/trace_run.hpp"

#include <QString>
#include <QWidget>
#include <memory>

class QComboBox;
class QLabel;

namespace texelscope::gui {

/// Above the heat map while it shows a trace: which trace, which of its launches, what was left out.
class TraceStrip : public QWidget {
    Q_OBJECT

public:
    explicit TraceStrip(QWidget* parent = nullptr);

    void show_trace(const TraceResult& trace);

signals:
    /// To be simulated, on the device that the study names now.
    void launch_chosen(const QString& path, int launch);
    void closed();

private:
    QLabel* label_;
    QComboBox* launch_; ///< seen where there are several
    QLabel* launch_label_;
    QString path_;
};

/// What a trace's simulation did not take in, as sentences; empty where it took in everything.
[[nodiscard]] QString trace_remarks(const TraceResult& trace);

} // namespace texelscope::gui
