#pragma once

#include "gui/plots/histogram_series.hpp"
#include "gui/plots/plot_view.hpp"

#include <QWidget>
#include <string>

class QComboBox;

namespace texelscope::gui {

class Session;

/// The cross-block histograms, with what chooses between strides and their cost.
class HistogramPanel : public QWidget {
    Q_OBJECT

public:
    explicit HistogramPanel(Session& session);

    /// Without weights strides alone can be shown.
    void show_series(std::vector<HistogramSeries> series);
    [[nodiscard]] const std::vector<HistogramSeries>& series() const { return series_; }
    [[nodiscard]] PlotView& view() { return *view_; }

private:
    void refresh();

    QComboBox* value_;
    PlotView* view_;
    std::vector<HistogramSeries> series_;
};

} // namespace texelscope::gui
