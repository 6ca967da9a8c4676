#pragma once

#include "gui/plots/histogram_geometry.hpp"

#include <QWidget>
#include <vector>

namespace texelscope::gui {

/// Cross-block histograms as bars, all images of a study side by side, with a legend and tool tips: strides, or what they
/// cost; there a negative one is an outline.
class HistogramView : public QWidget {
    Q_OBJECT

public:
    explicit HistogramView(QWidget* parent = nullptr);

    void show_series(std::vector<HistogramSeries> series);
    void show_value(HistogramValue value);
    [[nodiscard]] const std::vector<HistogramSeries>& series() const { return series_; }
    [[nodiscard]] HistogramValue value() const { return value_; }

    /// What a tool tip says at a place of the widget; empty where there is no bar. The whole height above a bar counts.
    [[nodiscard]] QString tip_at(QPointF at) const;
    [[nodiscard]] HistogramGeometry geometry_now() const;

    [[nodiscard]] QSize sizeHint() const override { return {480, 260}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {240, 140}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    void paint_plot(QPainter& painter, const HistogramGeometry& geometry, const QRectF& plot,
                    const QString& title) const;
    void paint_shapes(QPainter& painter, const HistogramGeometry& geometry) const;
    void paint_legend(QPainter& painter) const;

    std::vector<HistogramSeries> series_;
    HistogramValue value_ = HistogramValue::strides;
};

} // namespace texelscope::gui
