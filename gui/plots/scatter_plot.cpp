#include "gui/plots/scatter_plot.hpp"

#include "gui/plots/plot_export.hpp"
#include "gui/widgets/theme.hpp"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

namespace texelscope::gui {
namespace {

constexpr double point_radius = 4;
constexpr double reach = 3 * point_radius; ///< of the mouse
/// Points that are drawn with rings around them.
constexpr std::size_t most_ringed = 300;

} // namespace

ScatterPlot::ScatterPlot(QWidget* parent) : QWidget(parent)
{
    setObjectName("scatter_plot");
    setAccessibleName(tr("Scatter plot"));
    setFocusPolicy(Qt::StrongFocus);
    add_plot_export(
        *this, [this] { return panel_plot(); }, QStringLiteral("scatter"));
}

std::optional<PanelPlot> ScatterPlot::panel_plot() const
{
    if (data_.points.empty()) {
        return std::nullopt;
    }
    const bool crowded = data_.points.size() > most_ringed; // their rings would hide each other
    std::vector<PanelPlot::Curve> curves(
        std::max<std::size_t>(1, static_cast<std::size_t>(data_.categories.size())));
    for (std::size_t c = 0; c < curves.size(); ++c) {
        curves[c].name = data_.categories.value(static_cast<qsizetype>(c)).toStdString();
        curves[c].colour = series_colour(c);
        curves[c].look = crowded ? DrawnMark::Look::disc : DrawnMark::Look::ringed;
    }
    for (const ScatterPoint& point : data_.points) {
        curves[std::min(point.category, curves.size() - 1)].points.push_back(
            {point.x, point.y, point.tip.toStdString(), crowded ? point_radius / 2 : point_radius});
    }
    std::erase_if(curves, [](const PanelPlot::Curve& curve) { return curve.points.empty(); });
    PanelPlot plot = scatter_plot(std::move(curves), data_.axes);
    plot.x_label = data_.x_title.toStdString();
    plot.left_label = data_.y_title.toStdString();
    plot.title = plot.left_label + " over " + plot.x_label;
    plot.x_text = [text = data_.x_text](double value) { return text(value).toStdString(); };
    plot.left_text = [text = data_.y_text](double value) { return text(value).toStdString(); };
    plot.panel_width = 560;
    return plot;
}

void ScatterPlot::show_data(ScatterData data)
{
    data_ = std::move(data);
    setAccessibleDescription(
        tr("%1 points: %2 over %3").arg(data_.points.size()).arg(data_.y_title, data_.x_title));
    refresh();
}

void ScatterPlot::refresh()
{
    const std::optional<PanelPlot> plot = panel_plot();
    shown_ = plot ? shown_plot(*plot, *this) : ShownPlot{};
    update();
}

void ScatterPlot::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    refresh();
}

void ScatterPlot::select(std::vector<int> rows)
{
    rows_ = std::move(rows);
    update();
}

const ScatterPoint* ScatterPlot::point_at(QPointF at) const
{
    const ScatterPoint* nearest = nullptr;
    double least = reach * reach;
    for (const ScatterPoint& point : data_.points) {
        const QPointF distance = place_of(point) - at;
        const double square = QPointF::dotProduct(distance, distance);
        if (square <= least) {
            least = square;
            nearest = &point;
        }
    }
    return nearest;
}

std::optional<int> ScatterPlot::row_at(QPointF at) const
{
    const ScatterPoint* point = point_at(at);
    return point == nullptr ? std::nullopt : std::optional(point->row);
}

std::vector<int> ScatterPlot::rows_in(const QRectF& band) const
{
    std::vector<int> rows;
    for (const ScatterPoint& point : data_.points) {
        if (band.contains(place_of(point))) {
            rows.push_back(point.row);
        }
    }
    return rows;
}

bool ScatterPlot::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const ScatterPoint* point = point_at(help->pos());
        QToolTip::showText(help->globalPos(), point == nullptr ? QString() : point->tip, this);
        return true;
    }
    return QWidget::event(event);
}

void ScatterPlot::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) {
        return;
    }
    const auto row = row_at(event->position());
    if (!row) {
        band_ = Band{event->position(), event->position()};
    } else if (event->modifiers().testFlag(Qt::ControlModifier)) {
        std::vector<int> rows = rows_;
        if (std::erase(rows, *row) == 0) {
            rows.push_back(*row);
        }
        select(rows);
        emit several_selected(rows);
    } else {
        select(*row);
        emit selected(*row);
    }
}

void ScatterPlot::mouseMoveEvent(QMouseEvent* event)
{
    if (band_) {
        band_->to = event->position();
        update();
    }
}

void ScatterPlot::mouseReleaseEvent(QMouseEvent* event)
{
    if (!band_ || event->button() != Qt::LeftButton) {
        return;
    }
    const QRectF band = QRectF(band_->from, band_->to).normalized();
    band_.reset();
    update();
    // A click that moved a little is no rectangle, and selects nothing.
    if ((band.bottomRight() - band.topLeft()).manhattanLength() <
        QApplication::startDragDistance()) {
        return;
    }
    std::vector<int> rows =
        event->modifiers().testFlag(Qt::ControlModifier) ? rows_ : std::vector<int>();
    for (const int row : rows_in(band)) {
        if (std::find(rows.begin(), rows.end(), row) == rows.end()) {
            rows.push_back(row);
        }
    }
    select(rows);
    emit several_selected(rows);
}

void ScatterPlot::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const auto row = row_at(event->position())) {
        emit activated(*row);
    }
}

void ScatterPlot::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        step(event->key() == Qt::Key_Right ? 1 : -1);
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) &&
               !rows_.empty()) {
        emit activated(rows_.front());
    } else {
        QWidget::keyPressEvent(event);
    }
}

void ScatterPlot::step(int direction)
{
    std::vector<const ScatterPoint*> order;
    for (const ScatterPoint& point : data_.points) {
        order.push_back(&point);
    }
    if (order.empty()) {
        return;
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return a->x < b->x; });
    const auto now = std::find_if(order.begin(), order.end(), [&](const auto* point) {
        return !rows_.empty() && point->row == rows_.front();
    });
    const auto last = std::ssize(order) - 1;
    const auto next = now == order.end()
                          ? 0
                          : std::clamp<std::ptrdiff_t>(now - order.begin() + direction, 0, last);
    select(order[static_cast<std::size_t>(next)]->row);
    emit selected(rows_.front());
}

void ScatterPlot::paint_selected(QPainter& painter) const
{
    std::vector<int> rows = rows_;
    std::sort(rows.begin(), rows.end());
    painter.setPen(QPen(palette().color(QPalette::Text), 2));
    for (const ScatterPoint& point : data_.points) {
        if (std::binary_search(rows.begin(), rows.end(), point.row)) {
            painter.setBrush(category_colour(point.category, palette()));
            painter.drawEllipse(place_of(point), point_radius + 2, point_radius + 2);
        }
    }
}

void ScatterPlot::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    if (data_.points.empty()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(rect(), static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, data_.empty);
        return;
    }
    paint(painter, shown_, palette());
    painter.setRenderHint(QPainter::Antialiasing);
    paint_selected(painter);
    if (band_) {
        QColor ground = palette().color(QPalette::Highlight);
        painter.setPen(ground);
        ground.setAlphaF(0.2F);
        painter.setBrush(ground);
        painter.drawRect(QRectF(band_->from, band_->to).normalized());
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(palette().color(QPalette::Highlight));
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

} // namespace texelscope::gui
