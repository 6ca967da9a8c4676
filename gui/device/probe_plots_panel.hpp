#pragma once

#include "experiments/probes/kept_plots.hpp"

#include <QWidget>
#include <string>

class QComboBox;

namespace texelscope::gui {

class PlotView;

/// The plots of a folder of probes, one at a time.
class ProbePlotsPanel : public QWidget {
    Q_OBJECT

public:
    explicit ProbePlotsPanel(QWidget* parent = nullptr);

    /// Throws bad_input where the folder holds no records; what was shown then stays.
    void open_folder(const std::string& path);

private:
    KeptPlots kept_;
    QComboBox* choice_;
    PlotView* view_;
};

} // namespace texelscope::gui
