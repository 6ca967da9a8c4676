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

/// Paints shapes one by one. Thin upright and level lines get a pen of width 0, which is one pixel
/// at any scale, and no smoothing, which would blur them over two.
struct ShapePainter {
    QPainter& painter;
    const QPalette& palette;

    void operator()(const DrawnLine& line) const
    {
        const DrawnPoint from = line.through.front();
        const DrawnPoint to = line.through.back();
        const bool level = line.through.size() == 2 && (from.x == to.x || from.y == to.y);
        const bool thin = line.width <= 1;
        QPen pen(shown_colour(line.colour, palette), thin && level ? 0 : line.width);
        pen.setCapStyle(line.dashed ? Qt::FlatCap : Qt::RoundCap);
        pen.setJoinStyle(Qt::RoundJoin);
        if (line.dashed) {
            // The pattern is in widths of the pen; one of width 0 is a pixel wide.
            const double unit = thin && level ? painter.transform().m11() : 1 / line.width;
            pen.setDashPattern({4 * unit, 3 * unit});
        }
        painter.setRenderHint(QPainter::Antialiasing, !(thin && level));
        painter.setPen(pen);
        QPolygonF points;
        for (const DrawnPoint at : line.through) {
            points << point(at);
        }
        painter.drawPolyline(points);
    }
    void operator()(const DrawnBox& box) const
    {
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.fillRect(QRectF(point(box.corner), QSizeF(box.width, box.height)),
                         shown_colour(box.colour, palette));
    }
    void operator()(const DrawnMark& mark) const
    {
        painter.setRenderHint(QPainter::Antialiasing, true);
        const QColor colour = shown_colour(mark.colour, palette);
        if (mark.look == DrawnMark::Look::cross) {
            const QPointF arm(mark.radius, mark.radius);
            const QPointF other(mark.radius, -mark.radius);
            painter.setPen(QPen(colour, 2));
            painter.drawLine(point(mark.centre) - arm, point(mark.centre) + arm);
            painter.drawLine(point(mark.centre) - other, point(mark.centre) + other);
            return;
        }
        const bool ringed = mark.look == DrawnMark::Look::ringed;
        const double radius = mark.radius + (ringed ? ring_width / 2 : 0);
        painter.setPen(ringed ? QPen(shown_colour({255, 255, 255}, palette), ring_width)
                              : QPen(Qt::NoPen));
        painter.setBrush(colour);
        painter.drawEllipse(point(mark.centre), radius, radius);
    }
    void operator()(const DrawnPixels& pixels) const
    {
        const Picture& picture = pixels.picture;
        const QRectF area(point(pixels.corner),
                          QSizeF(pixels.width * picture.width, pixels.height * picture.height));
        painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
        painter.drawImage(area, QImage(picture.pixels.front().data(), picture.width, picture.height,
                                       3 * picture.width, QImage::Format_RGB888));
    }
    void operator()(const DrawnText& text) const
    {
        QFont font = painter.font();
        font.setPixelSize(static_cast<int>(std::lround(text.size)));
        const QString words = QString::fromStdString(text.words);
        const double width = QFontMetricsF(font, painter.device()).horizontalAdvance(words);
        painter.save();
        painter.setFont(font);
        painter.setPen(shown_colour(text.colour, palette));
        painter.translate(point(text.at));
        painter.rotate(text.upright ? -90 : 0);
        painter.drawText(QPointF(-before_anchor(text, width), 0), words);
        painter.restore();
    }
};

} // namespace

QColor shown_colour(Rgb colour, const QPalette& palette)
{
    const auto [least, most] = std::minmax_element(colour.begin(), colour.end());
    // Grey: the components hardly differ. Black becomes the text's colour, white the ground's.
    if (*most - *least < 16) {
        const QColor text = palette.color(QPalette::Text);
        const QColor base = palette.color(QPalette::Base);
        const float share = static_cast<float>(*most) / 255;
        const auto between = [share](float from, float to) { return from + share * (to - from); };
        return QColor::fromRgbF(between(text.redF(), base.redF()),
                                between(text.greenF(), base.greenF()),
                                between(text.blueF(), base.blueF()));
    }
    const QColor shown(colour[0], colour[1], colour[2]);
    // percent: the palette's blue then has a contrast of 5 to 1 on a dark base
    constexpr int lighter = 145;
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
