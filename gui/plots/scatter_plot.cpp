#include "gui/plots/scatter_plot.hpp"

#include "gui/plots/plot_export.hpp"
#include "gui/widgets/theme.hpp"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace texelscope::gui {
namespace {

constexpr double point_radius = 4;
constexpr double reach = 3 * point_radius; ///< of the mouse
constexpr std::size_t most_outlined = 300;

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
    PanelPlot plot;
    plot.x_label = data_.x_title.toStdString();
    const QString unit = data_.y_unit.isEmpty() ? QString() : QStringLiteral(", ") + data_.y_unit;
    plot.left_label = (data_.y_title + unit).toStdString();
    plot.title = data_.y_title.toStdString() + " over " + plot.x_label;
    plot.x_low = x_.low;
    plot.x_high = x_.high;
    plot.x_log = plot.left_log = true;
    plot.panel_width = 560;
    constexpr int most_ticks = 7;
    for (const double tick : x_.ticks(most_ticks)) {
        plot.x_ticks.push_back(tick);
        plot.x_tick_names.push_back(data_.x_text(tick).toStdString());
    }
    std::vector<PanelPlot::Curve> curves(std::max<std::size_t>(1, static_cast<std::size_t>(data_.categories.size())));
    for (std::size_t c = 0; c < curves.size(); ++c) {
        curves[c].name = data_.categories.value(static_cast<qsizetype>(c)).toStdString();
        curves[c].colour = series_colour(c);
        curves[c].line = false;
    }
    for (const ScatterPoint& point : data_.points) {
        curves[std::min(point.category, curves.size() - 1)].points.push_back(
            {point.x, point.y, point.tip.toStdString()});
    }
    PanelPlot::Panel& panel = plot.panels.emplace_back();
    if (data_.axes != ScatterData::Axes::unrelated) {
        const bool ratio = data_.axes == ScatterData::Axes::ratio;
        panel.curves.push_back({ratio ? "the same" : "as " + plot.x_label,
                                0,
                                PanelPlot::Axis::left,
                                {{x_.low, ratio ? 1 : x_.low, {}}, {x_.high, ratio ? 1 : x_.high, {}}}});
    }
    std::copy_if(curves.begin(), curves.end(), std::back_inserter(panel.curves),
                 [](const PanelPlot::Curve& curve) { return !curve.points.empty(); });
    return plot;
}

void ScatterPlot::show_data(ScatterData data)
{
    data_ = std::move(data);
    std::vector<double> xs;
    std::vector<double> ys;
    for (const ScatterPoint& point : data_.points) {
        xs.push_back(point.x);
        ys.push_back(point.y);
    }
    if (data_.axes == ScatterData::Axes::ratio) {
        ys.push_back(1); // the line at 1 is always in sight
    }
    x_ = log_axis(xs);
    y_ = log_axis(ys);
    if (data_.axes == ScatterData::Axes::one_scale && !data_.points.empty()) {
        x_ = y_ = LogAxis{std::min(x_.low, y_.low), std::max(x_.high, y_.high)};
    }
    setAccessibleDescription(tr("%1 points: %2 over %3").arg(data_.points.size()).arg(data_.y_title, data_.x_title));
    update();
}

void ScatterPlot::select(std::vector<int> rows)
{
    rows_ = std::move(rows);
    update();
}

double ScatterPlot::left_margin() const
{
    double widest = 0;
    for (const double tick : y_.ticks(12)) {
        widest = std::max(widest, QFontMetricsF(font()).horizontalAdvance(data_.y_text(tick)));
    }
    return widest + 1.9 * fontMetrics().height();
}

QRectF ScatterPlot::plot() const
{
    const double line = fontMetrics().height();
    return QRectF(rect()).adjusted(left_margin(), line * (0.6 + 1.1 * legend_lines()), -line, -2.7 * line);
}

QPointF ScatterPlot::place_of(const ScatterPoint& point) const
{
    const QRectF area = plot();
    return {area.left() + area.width() * x_.place(point.x), area.bottom() - area.height() * y_.place(point.y)};
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
    if ((band.bottomRight() - band.topLeft()).manhattanLength() < QApplication::startDragDistance()) {
        return;
    }
    std::vector<int> rows = event->modifiers().testFlag(Qt::ControlModifier) ? rows_ : std::vector<int>();
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
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && !rows_.empty()) {
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
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->x < b->x; });
    const auto now = std::find_if(order.begin(), order.end(),
                                  [&](const auto* point) { return !rows_.empty() && point->row == rows_.front(); });
    const auto last = std::ssize(order) - 1;
    const auto next = now == order.end() ? 0 : std::clamp<std::ptrdiff_t>(now - order.begin() + direction, 0, last);
    select(order[static_cast<std::size_t>(next)]->row);
    emit selected(rows_.front());
}

void ScatterPlot::paint_axes(QPainter& painter) const
{
    const QRectF area = plot();
    const QFontMetricsF metrics(painter.font());
    const double line = metrics.height();
    const QColor text = palette().color(QPalette::WindowText);
    const double widest = std::max(metrics.horizontalAdvance(data_.x_text(x_.high)), 3 * line);
    for (const double tick : x_.ticks(static_cast<int>(area.width() / (1.1 * widest)))) {
        const double x = area.left() + area.width() * x_.place(tick);
        painter.setPen(faint(palette()));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        painter.setPen(text);
        painter.drawText(QRectF(x - widest, area.bottom() + 0.2 * line, 2 * widest, line), Qt::AlignCenter,
                         data_.x_text(tick));
    }
    for (const double tick : y_.ticks(static_cast<int>(area.height() / (1.6 * line)))) {
        const double y = area.bottom() - area.height() * y_.place(tick);
        painter.setPen(faint(palette()));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(text);
        painter.drawText(QRectF(0, y - line / 2, area.left() - line / 3, line), Qt::AlignRight | Qt::AlignVCenter,
                         data_.y_text(tick));
    }
    painter.drawText(QRectF(area.left(), area.bottom() + 1.4 * line, area.width(), line), Qt::AlignCenter,
                     data_.x_title);
    // Beside the axis, and where the plot is too low for that, along all of the widget's height below the legend.
    const double needed = metrics.horizontalAdvance(data_.y_title) + line / 2;
    const QRectF side = needed <= area.height()
                            ? QRectF(0, area.top(), 1.1 * line, area.height())
                            : QRectF(0, area.top() - line / 2, 1.1 * line, height() - area.top() + line / 2);
    painter.save();
    painter.translate(side.bottomLeft());
    painter.rotate(-90);
    painter.drawText(QRectF(0, 0, side.height(), side.width()), Qt::AlignCenter,
                     metrics.elidedText(data_.y_title, Qt::ElideMiddle, side.height()));
    painter.restore();
}

void ScatterPlot::paint_line(QPainter& painter) const
{
    QColor colour = palette().color(QPalette::WindowText);
    colour.setAlphaF(0.6F);
    painter.setPen(QPen(colour, 1.2, Qt::DashLine));
    const bool ratio = data_.axes == ScatterData::Axes::ratio;
    const ScatterPoint from{x_.low, ratio ? 1 : x_.low, 0, {}, 0};
    const ScatterPoint to{x_.high, ratio ? 1 : x_.high, 0, {}, 0};
    painter.drawLine(place_of(from), place_of(to));
}

void ScatterPlot::paint_points(QPainter& painter) const
{
    std::vector<const ScatterPoint*> marked;
    std::vector<int> rows = rows_;
    std::sort(rows.begin(), rows.end());
    const bool crowded = data_.points.size() > most_outlined; // their outlines would hide each other
    painter.setPen(crowded ? QPen(Qt::NoPen) : QPen(palette().color(QPalette::Window), 1));
    const double size = crowded ? point_radius / 2 : point_radius;
    for (const ScatterPoint& point : data_.points) {
        painter.setBrush(category_colour(point.category, palette()));
        painter.drawEllipse(place_of(point), size, size);
        if (std::binary_search(rows.begin(), rows.end(), point.row)) {
            marked.push_back(&point);
        }
    }
    painter.setPen(QPen(palette().color(QPalette::WindowText), 2));
    for (const ScatterPoint* point : marked) { // above all others
        painter.setBrush(category_colour(point->category, palette()));
        painter.drawEllipse(place_of(*point), point_radius + 2, point_radius + 2);
    }
}

int ScatterPlot::legend_lines() const
{
    const double line = fontMetrics().height();
    if (height() < 8 * line) { // the points need the room more; their tool tips have their patterns
        return 0;
    }
    double width = 0;
    int lines = data_.categories.isEmpty() ? 0 : 1;
    for (const QString& name : data_.categories) {
        const double entry = 2 * line + fontMetrics().horizontalAdvance(name);
        if (width > 0 && width + entry > this->width()) {
            ++lines;
            width = 0;
        }
        width += entry;
    }
    return lines;
}

void ScatterPlot::paint_legend(QPainter& painter) const
{
    const QFontMetricsF metrics(painter.font());
    const double line = metrics.height();
    double x = 0;
    double y = 0.2 * line;
    for (int i = 0; i < data_.categories.size(); ++i) {
        const double entry = 2 * line + metrics.horizontalAdvance(data_.categories[i]);
        if (x > 0 && x + entry > width()) {
            x = 0;
            y += 1.1 * line;
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(category_colour(static_cast<std::size_t>(i), palette()));
        painter.drawEllipse(QPointF(x + 0.8 * line, y + line / 2), point_radius, point_radius);
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(QPointF(x + 1.3 * line, y + metrics.ascent()), data_.categories[i]);
        x += entry;
    }
}

void ScatterPlot::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (data_.points.empty()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(rect(), static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, data_.empty);
        return;
    }
    paint_axes(painter);
    if (data_.axes != ScatterData::Axes::unrelated) {
        paint_line(painter);
    }
    paint_points(painter);
    if (legend_lines() > 0) {
        paint_legend(painter);
    }
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
