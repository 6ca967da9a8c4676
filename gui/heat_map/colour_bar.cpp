#include "gui/heat_map/colour_bar.hpp"

#include "gui/widgets/controls.hpp"
#include "gui/widgets/theme.hpp"
#include "workbench/plots/colour_map.hpp"
#include "workbench/plots/plot_axis.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace texelscope::gui {
namespace {

constexpr std::size_t histogram_bins = 48;
constexpr double key_step = 0.02;     // of the bar
constexpr double least_range = 0.005; // between the handles

QString value_text(HeatLayer::Kind kind, std::int64_t value)
{
    if (kind == HeatLayer::Kind::means) {
        return HeatLayer::mean_text(value);
    }
    return count_text(value);
}

} // namespace

ColourBar::ColourBar(QWidget* parent) : QWidget(parent)
{
    setObjectName("colour_bar");
    setAccessibleName(tr("Colour bar"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setFocusPolicy(Qt::StrongFocus);
}

void ColourBar::show_scale(HeatLayer::Kind kind, const ValueScale& scale)
{
    kind_ = kind;
    scale_ = scale;
    histogram_ = kind == HeatLayer::Kind::warps ? std::vector<std::int64_t>{}
                                                : scale.histogram(histogram_bins);
    describe();
    updateGeometry();
    update();
}

void ColourBar::set_range(ColourRange range)
{
    range_ = range;
    describe();
    update();
}

bool ColourBar::has_range() const
{
    return (kind_ == HeatLayer::Kind::counts || kind_ == HeatLayer::Kind::means) &&
           scale_.max() > 0;
}

void ColourBar::describe()
{
    const auto text = [&](double position) {
        return value_text(kind_, scale_.value_from(position));
    };
    setAccessibleDescription(
        has_range() ? tr("From %1 to %2").arg(text(range_.low), text(range_.high)) : QString());
    setToolTip(has_range() ? tr("Values and how many texels have them. Drag the handles, or use Up "
                                "and Down (with Shift: the "
                                "lower one), to spread the colours over a part: now %1 to %2. A "
                                "double click takes the limits "
                                "away.")
                                 .arg(text(range_.low), text(range_.high))
                           : QString());
}

QSize ColourBar::sizeHint() const
{
    const int line = fontMetrics().height();
    const QString widest = kind_ == HeatLayer::Kind::difference
                               ? QStringLiteral("−") + count_text(scale_.max())
                               : value_text(kind_, std::max<std::int64_t>(1, scale_.max()));
    return {5 * line + std::max(fontMetrics().horizontalAdvance(widest), 3 * line), 12 * line};
}

QRect ColourBar::bar() const
{
    const int line = fontMetrics().height();
    const int left = 2 * line; // room for the histogram
    return {left, line, line, std::max(1, height() - 4 * line)};
}

double ColourBar::handle_y(double position) const
{
    const QRect at = bar();
    return at.bottom() - position * (at.height() - 1);
}

std::vector<std::int64_t> ColourBar::ticks() const
{
    const int wanted = std::max(2, bar().height() / (3 * fontMetrics().height()));
    std::vector<std::int64_t> values;
    switch (scale_.axis()) {
    case ValueAxis::linear:
        for (const double tick :
             PlotAxis{0, static_cast<double>(std::max<std::int64_t>(1, scale_.max()))}.ticks(
                 wanted)) {
            // Counts are whole, so ticks are.
            if (tick == std::floor(tick) && tick <= static_cast<double>(scale_.max())) {
                values.push_back(std::llround(tick));
            }
        }
        return values;
    case ValueAxis::logarithmic:
        return logarithmic_ticks(scale_.max());
    case ValueAxis::percentile:
        break;
    }
    for (int i = 0; i <= wanted; ++i) {
        values.push_back(scale_.value_from(static_cast<double>(i) / wanted));
    }
    values.push_back(scale_.max());
    return values;
}

void ColourBar::paint_ticks(QPainter& painter) const
{
    const int line = fontMetrics().height();
    const QRect at = bar();
    const auto label = [&](double y, const QString& text) {
        const int top = static_cast<int>(std::lround(y)) - line / 2;
        painter.drawText(
            QRect(at.right() + line / 2 + 2, top, width() - at.right() - line / 2, line),
            Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    painter.setPen(palette().color(QPalette::WindowText));
    if (kind_ == HeatLayer::Kind::difference && scale_.max() > 0) {
        label(at.top() + line / 2.0, QStringLiteral("+") + count_text(scale_.max()));
        label(at.center().y(), QStringLiteral("0"));
        label(at.bottom() - line / 2.0, QStringLiteral("−") + count_text(scale_.max()));
    } else if (kind_ == HeatLayer::Kind::difference) {
        label(at.center().y(), QStringLiteral("0"));
    }
    if (kind_ == HeatLayer::Kind::difference) {
        return;
    }
    // From below: a label that would overlap the last one is left out.
    double last = at.bottom() + 2 * line;
    for (const std::int64_t tick : ticks()) {
        const double y = handle_y(scale_.position(tick));
        if (tick > 0 && last - y >= line) { // 0 has its own colour, below the bar
            painter.drawLine(QPointF(at.right() + 1, y), QPointF(at.right() + line / 4.0, y));
            label(y, value_text(kind_, tick));
            last = y;
        }
    }
    const QRect untouched(at.left(), height() - 2 * line, line, line);
    painter.fillRect(untouched, untouched_grey(palette()));
    label(untouched.center().y(),
          kind_ == HeatLayer::Kind::means ? tr("none") : QStringLiteral("0"));
}

void ColourBar::paint_histogram(QPainter& painter) const
{
    const std::int64_t most =
        histogram_.empty() ? 0 : *std::max_element(histogram_.begin(), histogram_.end());
    if (most == 0 || kind_ == HeatLayer::Kind::difference) {
        return;
    }
    const QRect at = bar();
    const double longest = at.left() - fontMetrics().height() / 2.0;
    const double step = static_cast<double>(at.height()) / static_cast<double>(histogram_.size());
    for (std::size_t bin = 0; bin < histogram_.size(); ++bin) {
        // The root, so that few texels are seen beside many.
        const double length =
            longest * std::sqrt(static_cast<double>(histogram_[bin]) / static_cast<double>(most));
        const double top = at.bottom() + 1 - step * static_cast<double>(bin + 1);
        painter.fillRect(QRectF(at.left() - 2 - length, top, length, std::max(1.0, step - 0.5)),
                         palette().color(QPalette::Mid));
    }
}

void ColourBar::paint_handles(QPainter& painter) const
{
    const QRect at = bar();
    const double size = fontMetrics().height() / 2.5;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette().color(QPalette::WindowText), 1));
    painter.setBrush(hasFocus() ? palette().highlight() : palette().button());
    for (const double position : {range_.low, range_.high}) {
        const double y = handle_y(position);
        painter.drawLine(QPointF(at.left() - 1, y), QPointF(at.right() + 1, y));
        painter.drawPolygon(
            QPolygonF({QPointF(at.left() - 1, y), QPointF(at.left() - 1 - size, y - size),
                       QPointF(at.left() - 1 - size, y + size)}));
    }
}

void ColourBar::paint_warps(QPainter& painter) const
{
    constexpr std::size_t colours = 7;
    const int line = fontMetrics().height();
    for (std::size_t i = 0; i < colours; ++i) {
        painter.fillRect(line / 2, line + static_cast<int>(i) * line, line, line,
                         category_colour(i));
    }
    painter.fillRect(line / 2, line * (static_cast<int>(colours) + 2), line, line,
                     untouched_grey(palette()));
    painter.setPen(palette().color(QPalette::WindowText));
    const auto label = [&](int row, int rows, const QString& text) {
        painter.drawText(QRect(2 * line, line * row, width() - 2 * line, rows * line),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, text);
    };
    label(1, static_cast<int>(colours), tr("warps\nby turns"));
    label(static_cast<int>(colours) + 2, 1, tr("none"));
}

void ColourBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (kind_ == HeatLayer::Kind::warps) {
        paint_warps(painter);
        return;
    }
    const QRect at = bar();
    for (int y = at.top(); y <= at.bottom(); ++y) {
        const double position =
            1 - static_cast<double>(y - at.top()) / std::max(1, at.height() - 1);
        QColor colour(diverging_colour(2 * position - 1));
        if (kind_ != HeatLayer::Kind::difference) {
            const Rgb rgb = viridis(std::clamp(range_.share(position), 0.0, 1.0));
            colour = QColor(rgb[0], rgb[1], rgb[2]);
        }
        painter.fillRect(at.left(), y, at.width(), 1, colour);
    }
    paint_histogram(painter);
    paint_ticks(painter);
    if (has_range()) {
        paint_handles(painter);
    }
}

void ColourBar::move(Handle handle, double position)
{
    ColourRange range = range_;
    if (handle == Handle::low) {
        range.low = std::clamp(position, 0.0, range.high - least_range);
    } else {
        range.high = std::clamp(position, range.low + least_range, 1.0);
    }
    change(range);
}

void ColourBar::change(ColourRange range)
{
    if (range != range_) {
        set_range(range);
        emit range_changed(range_);
    }
}

void ColourBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !has_range()) {
        return;
    }
    const double y = event->position().y();
    const bool nearer_low =
        std::abs(y - handle_y(range_.low)) < std::abs(y - handle_y(range_.high));
    held_ = nearer_low ? Handle::low : Handle::high;
    mouseMoveEvent(event);
}

void ColourBar::mouseMoveEvent(QMouseEvent* event)
{
    if (held_ != Handle::none) {
        const QRect at = bar();
        move(held_, (at.bottom() - event->position().y()) / std::max(1, at.height() - 1));
    }
}

void ColourBar::mouseReleaseEvent(QMouseEvent*)
{
    held_ = Handle::none;
}

void ColourBar::mouseDoubleClickEvent(QMouseEvent*)
{
    held_ = Handle::none;
    change({});
}

void ColourBar::keyPressEvent(QKeyEvent* event)
{
    const Handle handle =
        event->modifiers().testFlag(Qt::ShiftModifier) ? Handle::low : Handle::high;
    const double from = handle == Handle::low ? range_.low : range_.high;
    if (has_range() && event->key() == Qt::Key_Up) {
        return move(handle, from + key_step);
    }
    if (has_range() && event->key() == Qt::Key_Down) {
        return move(handle, from - key_step);
    }
    if (has_range() && event->key() == Qt::Key_Home) {
        return change({});
    }
    QWidget::keyPressEvent(event);
}

} // namespace texelscope::gui
