#pragma once

#include "workbench/study/crosscheck.hpp"

#include <QWidget>
#include <vector>

class QComboBox;

namespace texelscope::gui {

class ScatterPlot;

/// The times of two judges of a cross-check against each other, or their ratio, one point for each
/// row.
class CrosscheckPlot : public QWidget {
    Q_OBJECT

public:
    CrosscheckPlot();

    /// Sets the operator whose results are shown from now on.
    void show_inputs(const Operator& op);
    void show_result(const CrosscheckResult& result);
    /// Whether judges are compared with the device, or with the simulator.
    void compare_with_device(bool measures);
    /// Marks the points of rows.
    void select(const std::vector<int>& rows);

signals:
    void rows_selected(const std::vector<int>& rows);
    /// A double click or Enter.
    void activated(int row);

private:
    void refresh();

    CrosscheckResult result_;
    QComboBox* mode_;
    QComboBox* x_;
    QComboBox* y_;
    QComboBox* colour_;
    ScatterPlot* plot_;
};

} // namespace texelscope::gui
