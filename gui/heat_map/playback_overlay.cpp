#include "gui/heat_map/playback_overlay.hpp"

#include <QPainter>
#include <algorithm>
#include <vector>

namespace texelscope::gui {
namespace {

constexpr double least_mark = 3; // pixels

// Both are colours that viridis does not have.
const QColor held_colour(255, 255, 255);
const QColor read_colour(255, 45, 130);

/// A cell, or the mark that stands for it where it is too small to be seen.
QRectF mark_of(const PlacedMap& map, Texel cell)
{
    const QRectF rect = map.place_of(cell);
    const double grow = std::max(0.0, (least_mark - map.view.scale) / 2);
    return rect.adjusted(-grow, -grow, grow, grow);
}

PlaybackGround ground_of(const PlacedMap& map)
{
    return {map.picture.stored, map.picture.image,
            map.picture.launch->options.machine.l1().geometry.granule()};
}

void paint_held_texels(QPainter& painter, const PlacedMap& map, const ShownBand& band,
                       const std::vector<HeldLine>& held)
{
    const PlaybackGround ground = ground_of(map);
    const Extent2D extent = map.picture.pyramid.extent();
    const Viewport& view = band.view;
    const TexelRange& range = band.range;
    // With one more column and row, whose left and upper borders are the last ones.
    const std::int32_t columns = range.x1 - range.x0 + 1;
    const std::int32_t rows = range.y1 - range.y0 + 1;
    std::vector<char> inside(static_cast<std::size_t>(std::int64_t{columns} * rows));
    for (std::int32_t y = range.y0; y < std::min(range.y1 + 1, extent.height); ++y) {
        for (std::int32_t x = range.x0; x < std::min(range.x1 + 1, extent.width); ++x) {
            inside[static_cast<std::size_t>(std::int64_t{y - range.y0} * columns + x - range.x0)] =
                is_held(ground, held, map.picture.texel_of({x, y})) ? 1 : 0;
        }
    }
    const auto at = [&](std::int32_t x, std::int32_t y) {
        return x >= range.x0 && y >= range.y0 &&
               inside[static_cast<std::size_t>(std::int64_t{y - range.y0} * columns + x -
                                               range.x0)] != 0;
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

void paint_held_marks(QPainter& painter, const PlacedMap& map, const std::vector<HeldLine>& held)
{
    painter.setPen(Qt::NoPen);
    // Texels are smaller than pixels here: a line is shown at the texel that brought it in.
    painter.setBrush(held_colour);
    for (const HeldLine& line : held) {
        if (line.origin.image == map.picture.image) {
            for (const Texel cell : map.picture.cells_of(line.origin.texel)) {
                painter.drawRect(mark_of(map, cell));
            }
        }
    }
}

void paint_reads(QPainter& painter, const PlacedMap& map, std::vector<Texel> lanes)
{
    const double scale = map.view.scale;
    std::sort(lanes.begin(), lanes.end());
    lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
    std::vector<Texel> cells;
    for (const Texel lane : lanes) {
        const std::vector<Texel> of_lane = map.picture.cells_of(lane);
        cells.insert(cells.end(), of_lane.begin(), of_lane.end());
    }
    // Pixels of a cell that has room for a frame with the heat map's colour inside.
    constexpr double framed = 8;
    for (const Texel cell : cells) {
        const QRectF rect = mark_of(map, cell);
        if (scale < framed) {
            painter.fillRect(rect, read_colour);
            continue;
        }
        const double width = std::clamp(scale / 6, 2.0, 5.0);
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
    for (std::int64_t at = first / granule * granule; at < first + ground.stored.bytes_per_texel;
         at += granule) {
        const auto found = std::lower_bound(
            held.begin(), held.end(), at,
            [](const HeldLine& line, std::int64_t wanted) { return line.address < wanted; });
        if (found == held.end() || found->address != at) {
            return false;
        }
    }
    return true;
}

void paint_playback(QPainter& painter, const PlacedMap& map, const PlaybackFrame& frame)
{
    if (map.view.scale >= 1) {
        for (const ShownBand& band : map.bands()) {
            paint_held_texels(painter, map, band, frame.held);
        }
    } else {
        paint_held_marks(painter, map, frame.held);
    }
    if (frame.access.image == map.picture.image) {
        paint_reads(painter, map, frame.lanes);
    }
}

} // namespace texelscope::gui
