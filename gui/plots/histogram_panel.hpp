#pragma once

#include "gui/plots/plot_view.hpp"
#include "model/tmmodel/linear_model.hpp"
#include "sim/observers/cross_block_histogram.hpp"
#include "workbench/plots/panel_plot.hpp"

#include <QString>
#include <QWidget>
#include <string>
#include <vector>

class QComboBox;

namespace texelscope::gui {

/// The cross-block histogram of an image, and what a stride costs by the calibrated regression
/// (TMModel, equation 1).
struct HistogramSeries {
    QString name;
    CrossBlockHistogram histogram;
    /// LinearModel::beta, where the model has the histogram's block shapes; else empty.
    std::vector<double> beta;

    /// ns for a stride that leaves such a block; 0 without weights. Least squares and ridge may
    /// give negative ones.
    [[nodiscard]] double weight(std::size_t bin, bool along_x) const;
    [[nodiscard]] std::int64_t count(std::size_t bin, bool along_x) const;
};

/// What the bars show.
enum class HistogramValue {
    strides,
    time, ///< strides times their weights, ns of one work-item
};
[[nodiscard]] double bar_value(const HistogramSeries& series, std::size_t bin, bool along_x,
                               HistogramValue value);

/// The weights where the model has these block shapes.
[[nodiscard]] std::vector<double> weights_for(const CrossBlockHistogram& histogram,
                                              const LinearModel& model);

/// As a plot of two panels, x and y, whose bars say what they are. Throws bad_input where there is
/// no series.
[[nodiscard]] PanelPlot histogram_plot(const std::vector<HistogramSeries>& series,
                                       HistogramValue value);

/// One sentence about a bar: how many strides leave which block, and what they cost.
[[nodiscard]] QString about_bar(const HistogramSeries& series, std::size_t bin, bool along_x);

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
