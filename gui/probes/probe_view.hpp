#pragma once

#include "workbench/probes/probe_record.hpp"

#include <QWidget>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QSplitter;

namespace texelscope::gui {

class PlotView;
class ResultTableView;

/// What one probe found: its plots with the places that conclusions rest on, the conclusions, and
/// what the samples do not tell.
class ProbeView : public QWidget {
    Q_OBJECT

public:
    explicit ProbeView(QWidget* parent = nullptr);

    /// `device`: for the titles of plots.
    void show_record(const Probe& probe, const ProbeRecord& record, const std::string& device);
    /// Shows no record, but a hint on what to do.
    void show_hint(const QString& hint);

private:
    std::vector<ProbePlot> plots_;
    QComboBox* choice_;
    PlotView* plot_;
    ResultTableView* findings_;
    QLabel* notes_;
    QWidget* below_;
};

} // namespace texelscope::gui
