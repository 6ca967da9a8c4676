#include "gui/plots/plot_canvas.hpp"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace texelscope::gui {
namespace {

constexpr double near = 14; // pixels between the mouse and a point

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
        shown_ = shown_plot(*part, *this);
    }
    update();
}

std::optional<PlacedPoint> PlotCanvas::point_at(QPointF at) const
{
    const auto distance = [&](const PlacedPoint& point) {
        const QPointF away = to_widget(point.at) - at;
        return std::hypot(away.x(), away.y());
    };
    const std::vector<PlacedPoint>& points = shown_.placed.points;
    const auto nearest =
        std::min_element(points.begin(), points.end(),
                         [&](const PlacedPoint& a, const PlacedPoint& b) { return distance(a) < distance(b); });
    return nearest == points.end() || distance(*nearest) > near ? std::nullopt : std::optional(*nearest);
}

QString PlotCanvas::tip_at(QPointF at) const
{
    if (const auto point = point_at(at)) {
        return QString::fromStdString(point->about);
    }
    for (const PlacedBar& bar : shown_.placed.bars) {
        const DrawnBox& area = shown_.placed.areas[bar.panel];
        const QRectF column =
            shown_.to_widget(DrawnBox{{bar.box.corner.x, area.corner.y}, bar.box.width, area.height, {}, {}});
        if (column.contains(at)) {
            return QString::fromStdString(bar.box.about);
        }
    }
    return {};
}

std::optional<double> PlotCanvas::share_at(QPointF at) const
{
    for (const DrawnBox& area : shown_.placed.areas) {
        const QRectF rect = shown_.to_widget(area);
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
    paint(painter, shown_, palette());
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
    if (drag_->moved && range_ && !shown_.placed.areas.empty()) {
        const double width = shown_.scale * shown_.placed.areas.front().width;
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
