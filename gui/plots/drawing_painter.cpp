#include "gui/plots/drawing_painter.hpp"

#include "gui/widgets/theme.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace texelscope::gui {
namespace {

QPointF point(DrawnPoint at)
{
    return {at.x, at.y};
}

/// Black on white, whatever the theme.
QPalette paper()
{
    QPalette palette;
    for (const auto role : {QPalette::WindowText, QPalette::Text}) {
        palette.setColor(role, Qt::black);
    }
    for (const auto role : {QPalette::Window, QPalette::Base}) {
        palette.setColor(role, Qt::white);
    }
    return palette;
}

/// Paints shapes one by one.
struct ShapePainter {
    QPainter& painter;
    const QPalette& palette;

    void operator()(const DrawnLine& line) const
    {
        const bool level = line.from.x == line.to.x || line.from.y == line.to.y;
        const bool thin = line.width <= 1;
        QPen pen(shown_colour(line.colour, palette), thin && level ? 0 : line.width);
        pen.setCapStyle(line.dashed ? Qt::FlatCap : Qt::RoundCap);
        if (line.dashed) {
            // The pattern is in widths of the pen; one of width 0 is a pixel wide.
            const double unit = thin && level ? painter.transform().m11() : 1 / line.width;
            pen.setDashPattern({4 * unit, 3 * unit});
        }
        painter.setRenderHint(QPainter::Antialiasing, !(thin && level));
        painter.setPen(pen);
        painter.drawLine(point(line.from), point(line.to));
    }
    void operator()(const DrawnBox& box) const
    {
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.fillRect(QRectF(point(box.corner), QSizeF(box.width, box.height)), shown_colour(box.colour, palette));
    }
    void operator()(const DrawnDisc& disc) const
    {
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(Qt::NoPen);
        painter.setBrush(shown_colour(disc.colour, palette));
        painter.drawEllipse(point(disc.centre), disc.radius, disc.radius);
    }
    void operator()(const DrawnText& text) const
    {
        QFont font = painter.font();
        font.setPixelSize(static_cast<int>(std::lround(text.size)));
        const QString words = QString::fromStdString(text.words);
        const double width = QFontMetricsF(font, painter.device()).horizontalAdvance(words);
        const double before = text.anchor == DrawnText::Anchor::start    ? 0
                              : text.anchor == DrawnText::Anchor::middle ? width / 2
                                                                         : width;
        painter.save();
        painter.setFont(font);
        painter.setPen(shown_colour(text.colour, palette));
        painter.translate(point(text.at));
        painter.rotate(text.upright ? -90 : 0);
        painter.drawText(QPointF(-before, 0), words);
        painter.restore();
    }
};

} // namespace

QColor shown_colour(Rgb colour, const QPalette& palette)
{
    const auto [least, most] = std::minmax_element(colour.begin(), colour.end());
    if (*most - *least < 16) {
        const QColor text = palette.color(QPalette::Text);
        const QColor base = palette.color(QPalette::Base);
        const float share = static_cast<float>(*most) / 255;
        const auto between = [share](float from, float to) { return from + share * (to - from); };
        return QColor::fromRgbF(between(text.redF(), base.redF()), between(text.greenF(), base.greenF()),
                                between(text.blueF(), base.blueF()));
    }
    const QColor shown(colour[0], colour[1], colour[2]);
    constexpr int lighter = 145; // percent: the palette's blue then has a contrast of 5 to 1 on a dark base
    return is_dark(palette) ? shown.lighter(lighter) : shown;
}

void paint(QPainter& painter, const Drawing& drawing, const QPalette& palette)
{
    painter.save();
    for (const auto& shape : drawing.shapes) {
        std::visit(ShapePainter{painter, palette}, shape);
    }
    painter.restore();
}

QImage image_of(const Drawing& drawing, double scale)
{
    QImage image(static_cast<int>(std::ceil(drawing.width * scale)),
                 static_cast<int>(std::ceil(drawing.height * scale)), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.scale(scale, scale);
    paint(painter, drawing, paper());
    return image;
}

} // namespace texelscope::gui
