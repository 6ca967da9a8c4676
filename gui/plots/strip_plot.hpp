#pragma once

#include "experiments/render/panel_plot.hpp"

#include <QWidget>
#include <optional>
#include <vector>

namespace texelscope::gui {

/// Timing samples as points over a linear time axis, the first on top, with a line at the median.
class StripPlot : public QWidget {
    Q_OBJECT

public:
    explicit StripPlot(QWidget* parent = nullptr);

    void show_samples(std::vector<double> samples_ns, double median_ns);
    /// Time over the number of the sample, to be exported; nothing where there are none.
    [[nodiscard]] std::optional<PanelPlot> panel_plot() const;

    /// What a tool tip says at a place of the widget; empty where there is no point.
    [[nodiscard]] QString tip_at(QPointF at) const;
    [[nodiscard]] QPointF place_of(std::size_t sample) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] double x_of(double ns) const;

    std::vector<double> samples_;
    double median_ = 0;
    double low_ = 0;
    double high_ = 1;
};

} // namespace texelscope::gui
