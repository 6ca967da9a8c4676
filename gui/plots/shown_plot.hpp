#pragma once

#include "workbench/plots/panel_plot.hpp"

#include <QPainter>
#include <QRectF>
#include <QWidget>
#include <vector>

namespace texelscope::gui {

/// A plot on the screen: its drawing, and where that lies in its widget.
struct ShownPlot {
    PlacedPlot placed;
    double scale = 1; ///< pixels to a unit of the drawing
    QPointF corner;   ///< of the drawing

    [[nodiscard]] QPointF to_widget(DrawnPoint at) const
    {
        return corner + scale * QPointF(at.x, at.y);
    }
    [[nodiscard]] QRectF to_widget(const DrawnBox& box) const
    {
        return {to_widget(box.corner), scale * QSizeF(box.width, box.height)};
    }
};

/// The plot as it fills a widget, without its title, with texts as large as the widget's font where
/// there is room for them.
[[nodiscard]] ShownPlot shown_plot(PanelPlot plot, const QWidget& widget);

void paint(QPainter& painter, const ShownPlot& shown, const QPalette& palette);

/// Timing samples, in ns, as points along a time axis, the first on top, with a dashed line at the
/// median. There must be some.
[[nodiscard]] PanelPlot samples_plot(const std::vector<double>& samples_ns, double median_ns);

} // namespace texelscope::gui
