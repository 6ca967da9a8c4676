#include "gui/plots/histogram_view.hpp"

#include "gui/widgets/number_text.hpp"
#include "gui/widgets/theme.hpp"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace texelscope::gui {

HistogramView::HistogramView(QWidget* parent) : QWidget(parent)
{
    setObjectName("histogram_view");
    setAccessibleName(tr("Cross-block histograms"));
    setAccessibleDescription(
        tr("How often consecutive reads of one work-item leave an assumed block, along x and along y"));
}

void HistogramView::show_series(std::vector<HistogramSeries> series)
{
    series_ = std::move(series);
    update();
}

void HistogramView::show_value(HistogramValue value)
{
    value_ = value;
    update();
}

HistogramGeometry HistogramView::geometry_now() const
{
    const QFontMetricsF metrics(font());
    double max = 0;
    for (const HistogramBar& bar : histogram_geometry(series_, value_, rect(), {}).bars) {
        max = std::max(max, std::abs(bar.value));
    }
    const double line = metrics.height();
    HistogramMargins margins;
    margins.left = metrics.horizontalAdvance(count_text(std::llround(max))) + line;
    margins.top = 2.4 * line;
    margins.bottom = 2.2 * line; // the block shapes, on two lines where they have no room side by side
    margins.gap = 1.4 * line;
    return histogram_geometry(series_, value_, rect(), margins);
}

QString HistogramView::tip_at(QPointF at) const
{
    const HistogramGeometry geometry = geometry_now();
    for (const HistogramBar& bar : geometry.bars) {
        const QRectF& plot = bar.along_x ? geometry.x_plot : geometry.y_plot;
        const QRectF column(bar.rect.left(), plot.top(), bar.rect.width(), plot.height());
        if (column.contains(at)) {
            return about_bar(series_[bar.series], bar.bin, bar.along_x);
        }
    }
    return {};
}

bool HistogramView::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tip_at(help->pos()), this);
        return true;
    }
    return QWidget::event(event);
}

void HistogramView::paint_plot(QPainter& painter, const HistogramGeometry& geometry, const QRectF& plot,
                               const QString& title) const
{
    const double line = painter.fontMetrics().height();
    painter.setPen(faint(palette()));
    const int wanted = std::max(1, static_cast<int>(plot.height() / (2 * line)));
    const auto most = static_cast<std::int64_t>(std::ceil(geometry.max));
    for (const std::int64_t tick : linear_ticks(most, wanted)) {
        if (static_cast<double>(tick) > geometry.max) {
            continue;
        }
        const double y = geometry.max == 0 ? plot.bottom()
                                           : plot.bottom() - plot.height() * static_cast<double>(tick) / geometry.max;
        painter.setPen(faint(palette()));
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(QRectF(0, y - line / 2, plot.left() - line / 3, line), Qt::AlignRight | Qt::AlignVCenter,
                         count_text(tick));
    }
    painter.drawText(QRectF(plot.left(), plot.top() - 1.1 * line, plot.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                     title);
}

void HistogramView::paint_shapes(QPainter& painter, const HistogramGeometry& geometry) const
{
    const auto& bins = series_.front().histogram.bins;
    const double slot = geometry.slot_width(bins.size());
    const double line = painter.fontMetrics().height();
    const double widest = painter.fontMetrics().horizontalAdvance(QStringLiteral("32×32 "));
    const bool staggered = widest > slot;
    painter.setPen(palette().color(QPalette::WindowText));
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
        const double middle = geometry.y_plot.left() + slot * (static_cast<double>(bin) + 0.5);
        const double below = staggered && bin % 2 == 1 ? line : 0;
        painter.drawText(QRectF(middle - widest, geometry.y_plot.bottom() + below, 2 * widest, 1.1 * line),
                         Qt::AlignCenter, size_text(bins[bin].block));
    }
}

void HistogramView::paint_legend(QPainter& painter) const
{
    const QFontMetricsF metrics(painter.font());
    const double line = metrics.height();
    const auto drawn = [&](bool whole, bool draw) {
        double x = line / 2;
        for (std::size_t i = 0; i < series_.size(); ++i) {
            const QString name = whole ? series_[i].name : series_[i].name.section(QStringLiteral(" ("), 0, 0);
            const QRectF swatch(x, 0.3 * line, 0.7 * line, 0.7 * line);
            if (draw) {
                painter.fillRect(swatch, category_colour(i, palette()));
                painter.setPen(palette().color(QPalette::WindowText));
                painter.drawText(QPointF(swatch.right() + line / 3, 0.15 * line + metrics.ascent()), name);
            }
            x = swatch.right() + line + metrics.horizontalAdvance(name);
        }
        return x;
    };
    drawn(drawn(true, false) <= width(), true); // without the patterns where there is no room for them
}

void HistogramView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (series_.empty()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(rect(), static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap,
                         tr("No study yet.\nRun one (F5) to see the strides of its reads."));
        return;
    }
    const HistogramGeometry geometry = geometry_now();
    paint_legend(painter);
    paint_plot(painter, geometry, geometry.x_plot,
               value_ == HistogramValue::strides ? tr("strides that leave a block along x")
                                                 : tr("ns of the strides that leave a block along x"));
    paint_plot(painter, geometry, geometry.y_plot, tr("along y"));
    for (const HistogramBar& bar : geometry.bars) {
        const QColor colour = category_colour(bar.series, palette());
        if (bar.value < 0) {
            painter.setPen(colour);
            painter.drawRect(bar.rect.adjusted(0.5, 0.5, -0.5, -0.5));
        } else {
            painter.fillRect(bar.rect, colour);
        }
    }
    paint_shapes(painter, geometry);
}

} // namespace texelscope::gui
