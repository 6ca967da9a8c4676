#include "gui/heat_map/playback_overlay.hpp"

#include <QPainter>
#include <algorithm>

namespace texelscope::gui {
namespace {

constexpr double least_mark = 3; // pixels

// Both are colours that viridis does not have.
const QColor held_colour(255, 255, 255);
const QColor read_colour(255, 45, 130);

/// A texel, or the mark that stands for it where it is too small to be seen.
QRectF mark_of(const Viewport& view, Texel texel)
{
    const QRectF rect(view.to_widget(QPointF(texel.x, texel.y)), QSizeF(view.scale, view.scale));
    const double grow = std::max(0.0, (least_mark - view.scale) / 2);
    return rect.adjusted(-grow, -grow, grow, grow);
}

void paint_held_texels(QPainter& painter, const Viewport& view, QSize widget, const PlaybackGround& ground,
                       const std::vector<HeldLine>& held)
{
    const Extent2D extent = ground.stored.extent;
    const TexelRange range = view.visible(extent, widget);
    const std::int32_t columns = range.x1 - range.x0 + 1; // with the one to the right, for its border
    const std::int32_t rows = range.y1 - range.y0 + 1;
    std::vector<char> inside(static_cast<std::size_t>(std::int64_t{columns} * rows));
    for (std::int32_t y = range.y0; y < std::min(range.y1 + 1, extent.height); ++y) {
        for (std::int32_t x = range.x0; x < std::min(range.x1 + 1, extent.width); ++x) {
            inside[static_cast<std::size_t>(std::int64_t{y - range.y0} * columns + x - range.x0)] =
                is_held(ground, held, {x, y}) ? 1 : 0;
        }
    }
    const auto at = [&](std::int32_t x, std::int32_t y) {
        return x >= range.x0 && y >= range.y0 &&
               inside[static_cast<std::size_t>(std::int64_t{y - range.y0} * columns + x - range.x0)] != 0;
    };
    QList<QLineF> borders;
    QList<QRectF> texels;
    for (std::int32_t y = range.y0; y < range.y0 + rows; ++y) {
        for (std::int32_t x = range.x0; x < range.x0 + columns; ++x) {
            const QPointF corner = view.to_widget(QPointF(x, y));
            if (at(x, y)) {
                texels << QRectF(corner, QSizeF(view.scale, view.scale));
            }
            if (at(x, y) != at(x - 1, y)) {
                borders << QLineF(corner, corner + QPointF(0, view.scale));
            }
            if (at(x, y) != at(x, y - 1)) {
                borders << QLineF(corner, corner + QPointF(view.scale, 0));
            }
        }
    }
    QColor tint = held_colour;
    tint.setAlpha(110);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tint);
    painter.drawRects(texels);
    if (view.scale >= least_mark) {
        painter.setPen(QPen(Qt::black, 4));
        painter.drawLines(borders);
        painter.setPen(QPen(held_colour, 2));
        painter.drawLines(borders);
    }
}

void paint_held_marks(QPainter& painter, const Viewport& view, const PlaybackGround& ground,
                      const std::vector<HeldLine>& held)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(held_colour);
    for (const HeldLine& line : held) {
        if (line.origin.image == ground.image) {
            painter.drawRect(mark_of(view, line.origin.texel));
        }
    }
}

void paint_reads(QPainter& painter, const Viewport& view, std::vector<Texel> lanes)
{
    std::sort(lanes.begin(), lanes.end());
    lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
    constexpr double framed = 8; // pixels of a texel that has room for a frame with the heat map's colour inside
    for (const Texel lane : lanes) {
        const QRectF rect = mark_of(view, lane);
        if (view.scale < framed) {
            painter.fillRect(rect, read_colour);
            continue;
        }
        const double width = std::clamp(view.scale / 6, 2.0, 5.0);
        const QRectF frame = rect.adjusted(width, width, -width, -width);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(Qt::black, width + 1.5, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(frame);
        painter.setPen(QPen(read_colour, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(frame);
    }
}

} // namespace

bool is_held(const PlaybackGround& ground, const std::vector<HeldLine>& held, Texel texel)
{
    const std::int64_t granule = ground.granule.value;
    const std::int64_t first = ground.stored.address(texel);
    for (std::int64_t at = first / granule * granule; at < first + ground.stored.bytes_per_texel; at += granule) {
        const auto found =
            std::lower_bound(held.begin(), held.end(), at,
                             [](const HeldLine& line, std::int64_t wanted) { return line.address < wanted; });
        if (found == held.end() || found->address != at) {
            return false;
        }
    }
    return true;
}

void paint_playback(QPainter& painter, const Viewport& view, QSize widget, const PlaybackGround& ground,
                    const PlaybackFrame& frame)
{
    if (view.scale >= 1) {
        paint_held_texels(painter, view, widget, ground, frame.held);
    } else {
        paint_held_marks(painter, view, ground, frame.held);
    }
    if (frame.access.image == ground.image) {
        paint_reads(painter, view, frame.lanes);
    }
}

} // namespace texelscope::gui
