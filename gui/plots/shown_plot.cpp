#include "gui/plots/shown_plot.hpp"

#include "gui/plots/drawing_painter.hpp"
#include "gui/widgets/controls.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::gui {

ShownPlot shown_plot(PanelPlot plot, const QWidget& widget)
{
    constexpr double font_height = 13; // of the font for which drawings are made, in their units
    const double wanted = widget.fontMetrics().height() / font_height;
    plot.title.clear();
    const double width = widget.width() / wanted;
    const double height = widget.height() / wanted;
    // lower ones need the room of the label; tool tips say what is along x
    constexpr double lowest_panel = 60;
    PanelPlot fit = fitted(plot, width, height);
    if (fit.panel_height < lowest_panel) {
        plot.x_label.clear();
        fit = fitted(std::move(plot), width, height);
    }
    ShownPlot shown{placed(fit), 1, {}};
    const Drawing& drawing = shown.placed.drawing;
    shown.scale =
        std::min({wanted, widget.width() / drawing.width, widget.height() / drawing.height});
    shown.corner = QPointF(widget.width() - shown.scale * drawing.width,
                           widget.height() - shown.scale * drawing.height) /
                   2;
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

PanelPlot samples_plot(const std::vector<double>& samples_ns, double median_ns)
{
    const auto [least, most] = std::minmax_element(samples_ns.begin(), samples_ns.end());
    // Where all are the same, they lie in the middle of a range that is not empty; else with room
    // for their marks.
    const double margin = *most > *least ? 0.03 * (*most - *least) : std::max(1.0, *most / 10);
    PanelPlot plot;
    plot.title = "Timing samples";
    plot.x_low = *least - margin;
    plot.x_high = *most + margin;
    plot.x_text = [](double ns) { return time_text({ns}).toStdString(); };
    plot.left = PlotAxis{static_cast<double>(samples_ns.size()) + 0.5, 0.5};
    plot.left_text = [](double) { return std::string(); };
    plot.panel_width = 420;
    plot.panel_height = 90;
    PanelPlot::Curve samples{"samples", 1,     PanelPlot::Axis::left,  {},
                             true,      false, DrawnMark::Look::ringed};
    for (std::size_t i = 0; i < samples_ns.size(); ++i) {
        samples.points.push_back(
            {samples_ns[i], static_cast<double>(i + 1),
             tr("Sample %1: %2").arg(i + 1).arg(time_text({samples_ns[i]})).toStdString(), 3.5});
    }
    plot.rule_label = "median";
    plot.panels.push_back({{}, {}, {std::move(samples)}, {median_ns}});
    return plot;
}

} // namespace texelscope::gui
