#include "gui/plots/plot_canvas.hpp"

#include "gui/plots/drawing_painter.hpp"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <variant>

namespace texelscope::gui {
namespace {

constexpr double near = 14; // pixels between the mouse and a point

/// From the highest to the lowest of what a drawing shows, with some room: without title, legend or label it has none for
/// them.
struct Band {
    double top;
    double bottom;

    [[nodiscard]] double height() const { return bottom - top; }
};

Band band_of(const Drawing& drawing)
{
    constexpr double room = 6;
    Band band{drawing.height, 0};
    const auto add = [&](double top, double bottom) {
        band = {std::min(band.top, top - room), std::max(band.bottom, bottom + room)};
    };
    for (const auto& shape : drawing.shapes) {
        if (const auto* text = std::get_if<DrawnText>(&shape)) {
            if (!text->words.empty() && !text->upright) {
                add(text->at.y - text->size, text->at.y);
            }
        } else if (const auto* line = std::get_if<DrawnLine>(&shape)) {
            add(std::min(line->from.y, line->to.y), std::max(line->from.y, line->to.y));
        }
    }
    return {std::max(0.0, band.top), std::min(drawing.height, band.bottom)};
}

/// The plot with panels that fill an area, in units of the drawing; title left out. Panels do not get smaller than their
/// numbers allow.
PanelPlot fitted(PanelPlot plot, QSizeF area)
{
    constexpr double narrowest = 160;
    constexpr double lowest = 60;
    plot.title.clear();
    const auto panels = static_cast<double>(plot.panels.size());
    // The legend takes more rows in a narrow drawing: the second time it fits.
    for (int time = 0; time < 2; ++time) {
        const Drawing drawing = draw(plot);
        plot.panel_width = std::max(narrowest, plot.panel_width + (area.width() - drawing.width) / panels);
        plot.panel_height = std::max(lowest, plot.panel_height + area.height() - band_of(drawing).height());
    }
    return has_bars(plot) ? plot : with_fewer_ticks(std::move(plot));
}

} // namespace

PlotCanvas::PlotCanvas(QWidget* parent) : QWidget(parent), hint_(tr("No study yet.\nRun one (F5) to see its plot."))
{
    setObjectName("plot_canvas");
    setFocusPolicy(Qt::ClickFocus);
}

void PlotCanvas::show_plot(std::optional<PanelPlot> plot)
{
    if (!plot || !plot_ || plot->x_low != plot_->x_low || plot->x_high != plot_->x_high) {
        range_.reset();
    }
    plot_ = std::move(plot);
    refresh();
}

void PlotCanvas::set_hint(const QString& hint)
{
    hint_ = hint;
    update();
}

std::optional<PanelPlot> PlotCanvas::plot() const
{
    return plot_ && range_ ? part_of(*plot_, *range_) : plot_;
}

void PlotCanvas::show_all()
{
    range_.reset();
    refresh();
}

void PlotCanvas::refresh()
{
    shown_ = {};
    if (const std::optional<PanelPlot> part = plot()) {
        constexpr double font_height = 13; // of the font for which drawings are made, in their units
        const double wanted = fontMetrics().height() / font_height;
        const PanelPlot plot = fitted(*part, QSizeF(size()) / wanted);
        shown_.drawing = draw(plot);
        shown_.points = placed_points(plot);
        shown_.areas = panel_areas(plot);
        const Band band = band_of(shown_.drawing);
        shown_.scale = std::min({wanted, width() / shown_.drawing.width, height() / band.height()});
        shown_.corner = QPointF((width() - shown_.scale * shown_.drawing.width) / 2,
                                (height() - shown_.scale * band.height()) / 2 - shown_.scale * band.top);
    }
    update();
}

QPointF PlotCanvas::to_widget(DrawnPoint at) const
{
    return shown_.corner + shown_.scale * QPointF(at.x, at.y);
}

std::optional<PlacedPoint> PlotCanvas::point_at(QPointF at) const
{
    const auto distance = [&](const PlacedPoint& point) {
        const QPointF away = to_widget(point.at) - at;
        return std::hypot(away.x(), away.y());
    };
    const auto nearest =
        std::min_element(shown_.points.begin(), shown_.points.end(),
                         [&](const PlacedPoint& a, const PlacedPoint& b) { return distance(a) < distance(b); });
    return nearest == shown_.points.end() || distance(*nearest) > near ? std::nullopt : std::optional(*nearest);
}

QString PlotCanvas::tip_at(QPointF at) const
{
    if (const auto point = point_at(at)) {
        return QString::fromStdString(point->about);
    }
    for (const auto& shape : shown_.drawing.shapes) {
        const auto* box = std::get_if<DrawnBox>(&shape);
        if (box != nullptr &&
            QRectF(to_widget(box->corner), shown_.scale * QSizeF(box->width, box->height)).contains(at)) {
            return QString::fromStdString(box->about);
        }
    }
    return {};
}

std::optional<double> PlotCanvas::share_at(QPointF at) const
{
    for (const DrawnBox& area : shown_.areas) {
        const QRectF rect(to_widget(area.corner), shown_.scale * QSizeF(area.width, area.height));
        if (rect.contains(at)) {
            return (at.x() - rect.left()) / rect.width();
        }
    }
    return std::nullopt;
}

void PlotCanvas::set_range(PlotRange range)
{
    range_ = range;
    if (range.low <= plot_->x_low && range.high >= plot_->x_high) {
        range_.reset();
    }
    refresh();
}

void PlotCanvas::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    if (!plot_) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap, hint_);
        return;
    }
    painter.translate(shown_.corner);
    painter.scale(shown_.scale, shown_.scale);
    paint(painter, shown_.drawing, palette());
}

void PlotCanvas::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    refresh();
}

void PlotCanvas::wheelEvent(QWheelEvent* event)
{
    const auto share = share_at(event->position());
    if (!share || has_bars(*plot_)) {
        event->ignore();
        return;
    }
    constexpr double notch = 120;
    constexpr double notch_factor = 1.25;
    const double factor = std::pow(notch_factor, event->angleDelta().y() / notch);
    set_range(zoomed(*plot_, range_.value_or(PlotRange{plot_->x_low, plot_->x_high}), factor, *share));
}

void PlotCanvas::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && plot_) {
        drag_ = Drag{event->position(), event->position()};
    }
}

void PlotCanvas::mouseMoveEvent(QMouseEvent* event)
{
    if (!drag_) {
        return;
    }
    drag_->moved =
        drag_->moved || (event->position() - drag_->from).manhattanLength() >= QApplication::startDragDistance();
    if (drag_->moved && range_ && !shown_.areas.empty()) {
        const double width = shown_.scale * shown_.areas.front().width;
        set_range(moved(*plot_, *range_, (drag_->last.x() - event->position().x()) / width));
        drag_->last = event->position();
    }
}

void PlotCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    const bool clicked = event->button() == Qt::LeftButton && drag_ && !drag_->moved;
    drag_.reset();
    if (clicked) {
        if (const auto point = point_at(event->position())) {
            emit point_clicked(*point);
        }
    }
}

void PlotCanvas::mouseDoubleClickEvent(QMouseEvent*)
{
    show_all();
}

bool PlotCanvas::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tip_at(help->pos()), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace texelscope::gui
