#include "gui/heat_map/transport_icon.hpp"

#include <QPainter>
#include <QPixmap>

namespace texelscope::gui {
namespace {

constexpr int side = 16;

/// A triangle that points to the right.
const QPolygonF arrow{QPointF(4, 3), QPointF(4, 13), QPointF(12, 8)};
const QRectF bar(11, 3, 2, 10);

void draw(QPainter& painter, Transport button)
{
    switch (button) {
    case Transport::play:
        painter.drawPolygon(arrow);
        return;
    case Transport::pause:
        painter.drawRect(QRectF(4, 3, 3, 10));
        painter.drawRect(QRectF(9, 3, 3, 10));
        return;
    case Transport::next:
        painter.drawPolygon(arrow.translated(-2, 0));
        painter.drawRect(bar);
        return;
    case Transport::last:
        painter.drawPolygon(arrow.translated(-4, 0));
        painter.drawPolygon(arrow.translated(1, 0));
        painter.drawRect(bar.translated(2, 0));
        return;
    case Transport::previous:
    case Transport::first: // the same, mirrored
        painter.translate(side, 0);
        painter.scale(-1, 1);
        draw(painter, button == Transport::first ? Transport::last : Transport::next);
        return;
    }
}

QPixmap pixmap(Transport button, const QColor& colour, double pixel_ratio)
{
    QPixmap picture(QSize(side, side) * pixel_ratio);
    picture.setDevicePixelRatio(pixel_ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    draw(painter, button);
    return picture;
}

} // namespace

QIcon transport_icon(Transport button, const QPalette& palette, double pixel_ratio)
{
    QIcon icon(pixmap(button, palette.color(QPalette::ButtonText), pixel_ratio));
    icon.addPixmap(pixmap(button, palette.color(QPalette::Disabled, QPalette::ButtonText), pixel_ratio),
                   QIcon::Disabled);
    return icon;
}

} // namespace texelscope::gui
