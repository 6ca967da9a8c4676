#include "gui/plots/shown_plot.hpp"

#include "gui/plots/drawing_painter.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::gui {

ShownPlot shown_plot(PanelPlot plot, const QWidget& widget)
{
    constexpr double font_height = 13; // of the font for which drawings are made, in their units
    const double wanted = widget.fontMetrics().height() / font_height;
    plot.title.clear();
    constexpr double lowest_with_x_label = 240; // its tool tips and ticks say what is along x
    if (widget.height() / wanted < lowest_with_x_label) {
        plot.x_label.clear();
    }
    ShownPlot shown{placed(fitted(std::move(plot), widget.width() / wanted, widget.height() / wanted)), 1, {}};
    const Drawing& drawing = shown.placed.drawing;
    shown.scale = std::min({wanted, widget.width() / drawing.width, widget.height() / drawing.height});
    shown.corner =
        QPointF(widget.width() - shown.scale * drawing.width, widget.height() - shown.scale * drawing.height) / 2;
    return shown;
}

void paint(QPainter& painter, const ShownPlot& shown, const QPalette& palette)
{
    painter.save();
    painter.translate(shown.corner);
    painter.scale(shown.scale, shown.scale);
    paint(painter, shown.placed.drawing, palette);
    painter.restore();
}

} // namespace texelscope::gui
