#include "gui/heat_map/overview.hpp"

#include "gui/heat_map/heat_map_raster.hpp"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace texelscope::gui {
namespace {

constexpr double from_edge = 10; // pixels to the edge of the view

} // namespace

QPointF Overview::plane_at(QPointF widget) const
{
    const QPointF inside(std::clamp(widget.x(), frame.left(), frame.right()),
                         std::clamp(widget.y(), frame.top(), frame.bottom()));
    return view.to_texels(inside - frame.topLeft());
}

// A very small overview can still be hit with the mouse.
bool Overview::contains(QPointF widget) const
{
    constexpr double least = 16; // pixels
    const double x = std::max(0.0, (least - frame.width()) / 2);
    const double y = std::max(0.0, (least - frame.height()) / 2);
    return frame.adjusted(-x, -y, x, y).contains(widget);
}

std::optional<Overview> overview_of(Extent2D plane, const Viewport& view, QSizeF widget)
{
    constexpr double rounding = 1e-6;
    const QRectF whole(0, 0, plane.width, plane.height);
    // There is nothing to show where everything is seen.
    const QRectF seen =
        QRectF(view.to_texels({0, 0}), view.to_texels({widget.width(), widget.height()})) & whole;
    if (plane.area() == 0 ||
        seen.width() * seen.height() >= (1 - rounding) * static_cast<double>(plane.area())) {
        return std::nullopt;
    }
    constexpr double largest = 180; // pixels
    constexpr double share = 0.3;   // of the view
    const double scale = std::min(std::min(largest, share * widget.width()) / plane.width,
                                  std::min(largest, share * widget.height()) / plane.height);
    const QSizeF size(plane.width * scale, plane.height * scale);
    Overview overview;
    overview.frame = QRectF(QPointF(widget.width() - from_edge - size.width(),
                                    widget.height() - from_edge - size.height()),
                            size);
    overview.view = {scale, {}};
    overview.visible = QRectF(overview.frame.topLeft() + overview.view.to_widget(seen.topLeft()),
                              seen.size() * scale);
    return overview;
}

void paint_overview(QPainter& painter, const Overview& overview, const PlacedMap& map,
                    const ColourTable& colours, const QPalette& palette, double ratio)
{
    constexpr double border = 3;
    const QRectF around = overview.frame.adjusted(-border, -border, border, border);
    painter.setPen(QPen(palette.color(QPalette::WindowText), 1));
    painter.setBrush(palette.window());
    painter.drawRect(around);
    const QSize pixels(std::max(1, static_cast<int>(std::ceil(overview.frame.width() * ratio))),
                       std::max(1, static_cast<int>(std::ceil(overview.frame.height() * ratio))));
    QImage image =
        heat_map_raster(map.picture.pyramid, map.fold, overview.view.for_pixel_ratio(ratio), pixels,
                        colours, palette.color(QPalette::Window).rgb());
    image.setDevicePixelRatio(ratio);
    painter.drawImage(overview.frame.topLeft(), image);
    paint_frame(painter, overview.visible);
}

} // namespace texelscope::gui
