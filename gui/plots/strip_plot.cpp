#include "gui/plots/strip_plot.hpp"

#include "gui/plots/plot_export.hpp"
#include "gui/widgets/number_text.hpp"
#include "gui/widgets/theme.hpp"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

namespace texelscope::gui {
namespace {

constexpr double dot_radius = 3.5;

} // namespace

StripPlot::StripPlot(QWidget* parent) : QWidget(parent)
{
    setObjectName("strip_plot");
    setAccessibleName(tr("Timing samples"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    add_plot_export(
        *this, [this] { return panel_plot(); }, QStringLiteral("samples"));
}

std::optional<PanelPlot> StripPlot::panel_plot() const
{
    if (samples_.empty()) {
        return std::nullopt;
    }
    PanelPlot plot;
    plot.title = "Timing samples";
    plot.x_label = "sample";
    plot.left_label = "time, ns";
    plot.x_low = 0;
    plot.x_high = static_cast<double>(samples_.size() + 1);
    plot.panel_width = 420;
    constexpr int most_ticks = 10;
    for (const std::int64_t tick : linear_ticks(std::ssize(samples_), most_ticks)) {
        plot.x_ticks.push_back(static_cast<double>(tick));
    }
    PanelPlot::Curve samples{"samples", 1, PanelPlot::Axis::left, {}, true, false};
    for (std::size_t i = 0; i < samples_.size(); ++i) {
        samples.points.push_back({static_cast<double>(i + 1), samples_[i], time_text({samples_[i]}).toStdString()});
    }
    PanelPlot::Curve median{
        "median", 0, PanelPlot::Axis::left, {{plot.x_low, median_, {}}, {plot.x_high, median_, {}}}};
    plot.panels.push_back({{}, {}, {std::move(samples), std::move(median)}, {}});
    return plot;
}

QSize StripPlot::sizeHint() const
{
    return {320, fontMetrics().height() * 4};
}

void StripPlot::show_samples(std::vector<double> samples_ns, double median_ns)
{
    samples_ = std::move(samples_ns);
    median_ = median_ns;
    if (!samples_.empty()) {
        const auto [least, most] = std::minmax_element(samples_.begin(), samples_.end());
        // Where all samples are the same, they lie in the middle of a range that is not empty.
        const double margin = *most > *least ? 0 : std::max(1.0, *most / 10);
        low_ = *least - margin;
        high_ = *most + margin;
        setAccessibleDescription(tr("%1 samples from %2 to %3, median %4")
                                     .arg(samples_.size())
                                     .arg(time_text({*least}), time_text({*most}), time_text({median_})));
    }
    update();
}

QRectF StripPlot::plot() const
{
    const double line = fontMetrics().height();
    return QRectF(rect()).adjusted(2 * dot_radius, dot_radius, -2 * dot_radius, -1.2 * line);
}

double StripPlot::x_of(double ns) const
{
    return plot().left() + plot().width() * (ns - low_) / (high_ - low_);
}

QPointF StripPlot::place_of(std::size_t sample) const
{
    const double share = (static_cast<double>(sample) + 0.5) / static_cast<double>(samples_.size());
    return {x_of(samples_[sample]), plot().top() + plot().height() * share};
}

QString StripPlot::tip_at(QPointF at) const
{
    for (std::size_t i = 0; i < samples_.size(); ++i) {
        const QPointF distance = place_of(i) - at;
        if (QPointF::dotProduct(distance, distance) <= 4 * dot_radius * dot_radius) {
            return tr("Sample %1: %2").arg(i + 1).arg(time_text({samples_[i]}));
        }
    }
    return {};
}

bool StripPlot::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tip_at(help->pos()), this);
        return true;
    }
    return QWidget::event(event);
}

void StripPlot::paintEvent(QPaintEvent*)
{
    if (samples_.empty()) {
        return;
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area = plot();
    painter.setPen(faint(palette()));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.setPen(QPen(palette().color(QPalette::WindowText), 1, Qt::DashLine));
    painter.drawLine(QPointF(x_of(median_), area.top()), QPointF(x_of(median_), area.bottom()));

    QColor ground = category_colour(0);
    ground.setAlphaF(0.75F);
    painter.setPen(QPen(palette().color(QPalette::Window), 0.8));
    painter.setBrush(is_dark(palette()) ? category_colour(4) : ground);
    for (std::size_t i = 0; i < samples_.size(); ++i) {
        painter.drawEllipse(place_of(i), dot_radius, dot_radius);
    }

    painter.setPen(palette().color(QPalette::WindowText));
    const QRectF numbers(area.left(), area.bottom(), area.width(), height() - area.bottom());
    painter.drawText(numbers, Qt::AlignLeft | Qt::AlignBottom, time_text({low_}));
    painter.drawText(numbers, Qt::AlignRight | Qt::AlignBottom, time_text({high_}));
}

} // namespace texelscope::gui
