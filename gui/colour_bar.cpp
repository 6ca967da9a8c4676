#include "gui/colour_bar.hpp"

#include "gui/number_text.hpp"
#include "gui/theme.hpp"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace texelscope {

ColourBar::ColourBar(QWidget* parent) : QWidget(parent)
{
    setObjectName("colour_bar");
    setAccessibleName(tr("Colour bar"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
}

void ColourBar::show_scale(std::int64_t max, ColourScale scale)
{
    max_ = max;
    scale_ = scale;
    setAccessibleDescription(tr("From 0 to %1").arg(count_text(max)));
    updateGeometry();
    update();
}

QSize ColourBar::sizeHint() const
{
    const int line = fontMetrics().height();
    return {3 * line + std::max(fontMetrics().horizontalAdvance(count_text(max_)), 2 * line), 12 * line};
}

void ColourBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const int line = fontMetrics().height();
    const QRect untouched(line / 2, height() - 2 * line, line, line);
    const QRect bar(line / 2, line, line, std::max(1, untouched.top() - 2 * line));
    for (int y = bar.top(); y <= bar.bottom(); ++y) {
        const Rgb rgb = viridis(1 - static_cast<double>(y - bar.top()) / std::max(1, bar.height() - 1));
        painter.fillRect(bar.left(), y, bar.width(), 1, QColor(rgb[0], rgb[1], rgb[2]));
    }
    painter.fillRect(untouched, untouched_grey(palette()));
    painter.setPen(palette().color(QPalette::WindowText));
    const auto label = [&](int y, const QString& text) {
        painter.drawText(QRect(bar.right() + line / 2, y - line / 2, width() - bar.right() - line / 2, line),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    label(untouched.center().y(), QStringLiteral("0"));
    const auto ticks = scale_ == ColourScale::linear ? linear_ticks(max_, std::max(2, bar.height() / (3 * line)))
                                                     : logarithmic_ticks(max_);
    int last = bar.bottom() + 2 * line;
    for (const std::int64_t tick : ticks) {
        const double position = max_ == 0 ? 0 : scale_position(tick, max_, scale_);
        const int y = bar.bottom() - static_cast<int>(std::lround(position * (bar.height() - 1)));
        if (tick > 0 && last - y >= line) { // 0 has its own colour, below the bar
            painter.drawLine(bar.right() + 1, y, bar.right() + line / 4, y);
            label(y, count_text(tick));
            last = y;
        }
    }
}

} // namespace texelscope
