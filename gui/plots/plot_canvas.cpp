#include "gui/plots/plot_canvas.hpp"

#include "workbench/plots/plot_axis.hpp"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace texelscope::gui {
namespace {

using CurvePoint = PanelPlot::Point;

double place(double value, bool log)
{
    return log ? std::log(value) : value;
}

double value_at(double place, bool log)
{
    return log ? std::exp(place) : place;
}

/// A range of x where equal lengths are equally long on the axis: logarithms on a logarithmic axis.
/// Zooming and moving are done in places.
struct Places {
    double low;
    double high;

    [[nodiscard]] double length() const { return high - low; }
};

Places places_of(const PanelPlot& plot, PlotRange range)
{
    return {place(range.low, plot.x_log), place(range.high, plot.x_log)};
}

PlotRange range_of(const PanelPlot& plot, double low, double length)
{
    const Places whole = places_of(plot, {plot.x_low, plot.x_high});
    const double from = std::clamp(low, whole.low, whole.high - length);
    const double to = from + length;
    // The ends themselves, without the rounding of exp and log.
    return {from <= whole.low ? plot.x_low : value_at(from, plot.x_log),
            to >= whole.high ? plot.x_high : value_at(to, plot.x_log)};
}

/// Where the line between two points crosses an x.
CurvePoint crossing(const PanelPlot& plot, PanelPlot::Axis axis, const CurvePoint& a,
                    const CurvePoint& b, double x)
{
    const double from = place(a.x, plot.x_log);
    const double share = (place(x, plot.x_log) - from) / (place(b.x, plot.x_log) - from);
    const bool log = plot.left_log && axis == PanelPlot::Axis::left;
    return {x, value_at(place(a.y, log) + share * (place(b.y, log) - place(a.y, log)), log), {}};
}

std::vector<CurvePoint> cut(const PanelPlot& plot, const PanelPlot::Curve& curve, PlotRange range)
{
    std::vector<CurvePoint> kept;
    const auto inside = [&](const CurvePoint& point) {
        return point.x >= range.low && point.x <= range.high;
    };
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
        const CurvePoint& point = curve.points[i];
        if (i > 0) {
            const CurvePoint& last = curve.points[i - 1];
            std::vector<CurvePoint> crossings;
            for (const double end : {range.low, range.high}) {
                if ((last.x < end && point.x > end) || (last.x > end && point.x < end)) {
                    crossings.push_back(crossing(plot, curve.axis, last, point, end));
                }
            }
            if (last.x > point.x) {
                std::reverse(crossings.begin(), crossings.end());
            }
            kept.insert(kept.end(), crossings.begin(), crossings.end());
        }
        if (inside(point)) {
            kept.push_back(point);
        }
    }
    return kept;
}

/// Points without a line keep their numbers, as what they stand for goes by these; a y that is no
/// number is not drawn.
void hide_outside(std::vector<CurvePoint>& points, PlotRange range)
{
    for (CurvePoint& point : points) {
        if (point.x < range.low || point.x > range.high) {
            point.y = std::numeric_limits<double>::quiet_NaN();
        }
    }
}

/// Keeps the ticks for which `keep` holds, given their number and their x.
template <class Keep>
void keep_ticks(PanelPlot& plot, const Keep& keep)
{
    std::vector<double> ticks;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < plot.x_ticks.size(); ++i) {
        if (keep(i, plot.x_ticks[i])) {
            ticks.push_back(plot.x_ticks[i]);
            if (i < plot.x_tick_names.size()) {
                names.push_back(plot.x_tick_names[i]);
            }
        }
    }
    plot.x_ticks = std::move(ticks);
    plot.x_tick_names = std::move(names);
}

constexpr double near = 14; // pixels between the mouse and a point

} // namespace

PlotRange zoomed(const PanelPlot& plot, PlotRange range, double factor, double share)
{
    constexpr double deepest = 1000;
    const Places now = places_of(plot, range);
    const double whole = places_of(plot, {plot.x_low, plot.x_high}).length();
    const double length = std::clamp(now.length() / factor, whole / deepest, whole);
    return range_of(plot, now.low + share * (now.length() - length), length);
}

PlotRange moved(const PanelPlot& plot, PlotRange range, double share)
{
    const Places now = places_of(plot, range);
    return range_of(plot, now.low + share * now.length(), now.length());
}

PanelPlot part_of(const PanelPlot& plot, PlotRange range)
{
    PanelPlot part = plot;
    part.x_low = range.low;
    part.x_high = range.high;
    keep_ticks(part, [&](std::size_t, double x) { return x >= range.low && x <= range.high; });
    if (plot.x_tick_names.empty() && part.x_ticks.size() < 3) {
        part.x_ticks = PlotAxis{range.low, range.high, plot.x_log}.ticks(6);
    }
    for (PanelPlot::Panel& panel : part.panels) {
        for (PanelPlot::Curve& curve : panel.curves) {
            if (curve.line) {
                curve.points = cut(plot, curve, range);
            } else {
                hide_outside(curve.points, range);
            }
        }
    }
    return part;
}

bool has_bars(const PanelPlot& plot)
{
    return std::any_of(plot.panels.begin(), plot.panels.end(),
                       [](const PanelPlot::Panel& panel) { return !panel.bars.empty(); });
}

PlotCanvas::PlotCanvas(QWidget* parent)
    : QWidget(parent), hint_(tr("No study yet.\nRun one (F5) to see its plot."))
{
    setObjectName("plot_canvas");
    setFocusPolicy(Qt::ClickFocus);
}

void PlotCanvas::show_plot(std::optional<PanelPlot> plot)
{
    // The range stays where the new plot has the same x axis, as when a study runs again.
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
    const auto nearest = std::min_element(
        points.begin(), points.end(),
        [&](const PlacedPoint& a, const PlacedPoint& b) { return distance(a) < distance(b); });
    return nearest == points.end() || distance(*nearest) > near ? std::nullopt
                                                                : std::optional(*nearest);
}

const PlacedBar* PlotCanvas::bar_at(QPointF at) const
{
    for (const PlacedBar& bar : shown_.placed.bars) {
        const DrawnBox& area = shown_.placed.areas[bar.panel];
        const QRectF column = shown_.to_widget(
            DrawnBox{{bar.box.corner.x, area.corner.y}, bar.box.width, area.height, {}, {}});
        if (column.contains(at)) {
            return &bar;
        }
    }
    return nullptr;
}

void PlotCanvas::mark(std::vector<PlotRange> parts)
{
    marked_ = std::move(parts);
    update();
}

QString PlotCanvas::tip_at(QPointF at) const
{
    if (const auto point = point_at(at)) {
        return QString::fromStdString(point->about);
    }
    const PlacedBar* const bar = bar_at(at);
    return bar != nullptr ? QString::fromStdString(bar->box.about) : QString();
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
    paint_marks(painter);
}

void PlotCanvas::paint_marks(QPainter& painter) const
{
    QColor colour = palette().color(QPalette::Highlight);
    constexpr float opacity = 0.3F; // what is marked shines through
    colour.setAlphaF(opacity);
    const PlotAxis& x = shown_.placed.x;
    for (const PlotRange& part : marked_) {
        const double from = std::clamp(x.place(part.low), 0.0, 1.0);
        const double to = std::clamp(x.place(part.high), 0.0, 1.0);
        for (const DrawnBox& area : shown_.placed.areas) {
            const DrawnBox band{{area.corner.x + from * area.width, area.corner.y},
                                (to - from) * area.width,
                                area.height,
                                {},
                                {}};
            painter.fillRect(shown_.to_widget(band), colour);
        }
    }
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
    // One notch of a wheel is 120 in Qt (eighths of a degree); each zooms by a quarter.
    constexpr double notch = 120;
    constexpr double notch_factor = 1.25;
    const double factor = std::pow(notch_factor, event->angleDelta().y() / notch);
    set_range(
        zoomed(*plot_, range_.value_or(PlotRange{plot_->x_low, plot_->x_high}), factor, *share));
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
    drag_->moved = drag_->moved || (event->position() - drag_->from).manhattanLength() >=
                                       QApplication::startDragDistance();
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
        } else if (const PlacedBar* const bar = bar_at(event->position())) {
            emit bar_clicked(PlacedBar(*bar)); // a listener may show another plot
        }
    }
}

void PlotCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const PlacedBar* const bar = bar_at(event->position())) {
        emit bar_activated(PlacedBar(*bar));
    }
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
