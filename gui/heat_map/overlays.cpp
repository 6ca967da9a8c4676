#include "gui/heat_map/overlays.hpp"

#include "gui/heat_map/heat_map_raster.hpp"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace texelscope::gui {
namespace {

struct Cell {
    std::int64_t place = 0; ///< in memory, counted in cells
    QPointF middle;
};

std::optional<Extent2D> cells_within(const StoredImage& image, const TexelRange& range, std::int64_t most)
{
    std::vector<Extent2D> sizes{{1, 1}};
    sizes.insert(sizes.end(), image.layout.blocks().begin(), image.layout.blocks().end());
    const auto few = std::find_if(sizes.begin(), sizes.end(), [&](Extent2D size) {
        const std::int64_t columns = (range.x1 - 1) / size.width - range.x0 / size.width + 1;
        const std::int64_t rows = (range.y1 - 1) / size.height - range.y0 / size.height + 1;
        return columns * rows <= most;
    });
    return few == sizes.end() ? std::nullopt : std::optional(*few);
}

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

QList<QLineF> storage_curve(const StoredImage& image, const TexelRange& range, std::int64_t most)
{
    if (range.x0 >= range.x1 || range.y0 >= range.y1) {
        return {};
    }
    const std::optional<Extent2D> size = cells_within(image, range, most);
    if (!size) {
        return {};
    }
    const std::int64_t bytes = size->area() * image.bytes_per_texel;
    std::vector<Cell> cells;
    for (std::int32_t y = range.y0 / size->height * size->height; y < range.y1; y += size->height) {
        for (std::int32_t x = range.x0 / size->width * size->width; x < range.x1; x += size->width) {
            // Blocks are cut off at the edges of the image.
            const std::int32_t right = std::min(x + size->width, image.extent.width);
            const std::int32_t bottom = std::min(y + size->height, image.extent.height);
            cells.push_back({image.layout.offset({x, y}) / bytes, {(x + right) / 2.0, (y + bottom) / 2.0}});
        }
    }
    std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.place < b.place; });
    QList<QLineF> lines;
    for (std::size_t i = 1; i < cells.size(); ++i) {
        if (cells[i].place - cells[i - 1].place <= 1) {
            lines << QLineF(cells[i - 1].middle, cells[i].middle);
        }
    }
    return lines;
}

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

void paint_frame(QPainter& painter, const QRectF& rect)
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Qt::white, 3));
    painter.drawRect(rect);
    painter.setPen(QPen(Qt::black, 1));
    painter.drawRect(rect);
}

void blend_block_grid(QImage& image, const PlacedMap& map, double ratio)
{
    constexpr double closest = 5; // pixels between lines; a denser grid would hide the counts
    const TexelRange range = map.view.visible(map.picture.pyramid.extent(), map.size);
    const QRectF part(map.view.to_widget({static_cast<double>(range.x0), static_cast<double>(range.y0)}) * ratio,
                      map.view.to_widget({static_cast<double>(range.x1), static_cast<double>(range.y1)}) * ratio);
    const auto from = [](double at, double width) { return static_cast<int>(std::lround(at - width / 2)); };
    double thickness = 1;
    for (const Extent2D block : map.picture.stored.layout.blocks()) {
        // Light with a dark edge, to be seen on every colour of the map.
        for (const auto& [colour, width] :
             {std::pair{QColor(0, 0, 0, 90), thickness + 1}, {QColor(255, 255, 255, 200), thickness}}) {
            const int pixels = std::max(1, static_cast<int>(std::lround(width * ratio)));
            for (std::int32_t x = range.x0 / block.width * block.width;
                 x <= range.x1 && block.width * map.view.scale >= closest; x += block.width) {
                const double at = map.view.to_widget({static_cast<double>(x), 0}).x() * ratio;
                blend(image, QRect(from(at, pixels), from(part.top(), 0), pixels, from(part.height(), 0)), colour);
            }
            for (std::int32_t y = range.y0 / block.height * block.height;
                 y <= range.y1 && block.height * map.view.scale >= closest; y += block.height) {
                const double at = map.view.to_widget({0, static_cast<double>(y)}).y() * ratio;
                blend(image, QRect(from(part.left(), 0), from(at, pixels), from(part.width(), 0), pixels), colour);
            }
        }
        thickness += 1;
    }
}

void paint_lines(QPainter& painter, const PlacedMap& map)
{
    constexpr double closest = 6; // pixels of a texel
    if (map.view.scale < closest) {
        return;
    }
    const Extent2D extent = map.picture.pyramid.extent();
    const TexelRange range = map.view.visible(extent, map.size);
    const auto line_of = [&](Texel t) {
        return map.picture.stored.layout.offset(t) / map.picture.launch->options.l1.line.value;
    };
    painter.setPen(QPen(QColor(255, 80, 80, 220), 1));
    for (std::int32_t y = range.y0; y < range.y1; ++y) {
        for (std::int32_t x = range.x0; x < range.x1; ++x) {
            const QPointF corner = map.view.to_widget({x + 1.0, y + 1.0});
            if (x + 1 < extent.width && line_of({x, y}) != line_of({x + 1, y})) {
                painter.drawLine(corner, corner - QPointF(0, map.view.scale));
            }
            if (y + 1 < extent.height && line_of({x, y}) != line_of({x, y + 1})) {
                painter.drawLine(corner, corner - QPointF(map.view.scale, 0));
            }
        }
    }
}

void paint_storage_order(QPainter& painter, const PlacedMap& map)
{
    constexpr std::int64_t most_cells = 4000; // more are too dense to follow, and take long to draw
    QList<QLineF> lines =
        storage_curve(map.picture.stored, map.view.visible(map.picture.pyramid.extent(), map.size), most_cells);
    for (QLineF& line : lines) {
        line = QLineF(map.view.to_widget(line.p1()), map.view.to_widget(line.p2()));
    }
    for (const auto& [colour, thickness] : {std::pair{QColor(0, 0, 0, 140), 3.0}, {QColor(255, 255, 255, 230), 1.2}}) {
        painter.setPen(QPen(colour, thickness));
        painter.drawLines(lines);
    }
}

void paint_mark(QPainter& painter, const QRectF& texel)
{
    const double outside = 4; // beside the frame of the texel under the mouse
    paint_frame(painter, texel.adjusted(-outside, -outside, outside, outside));
    const double reach = 12;
    for (const double thickness : {4.0, 2.0}) { // four lines that point at it: white within black
        painter.setPen(QPen(thickness > 2 ? Qt::black : Qt::white, thickness));
        const QRectF frame = texel.adjusted(-outside, -outside, outside, outside);
        const QPointF middle = frame.center();
        painter.drawLine(QPointF(frame.left() - reach, middle.y()), QPointF(frame.left(), middle.y()));
        painter.drawLine(QPointF(frame.right(), middle.y()), QPointF(frame.right() + reach, middle.y()));
        painter.drawLine(QPointF(middle.x(), frame.top() - reach), QPointF(middle.x(), frame.top()));
        painter.drawLine(QPointF(middle.x(), frame.bottom()), QPointF(middle.x(), frame.bottom() + reach));
    }
}

void paint_box(QPainter& painter, const QString& text, QPointF beside, QSize size, const QPalette& palette)
{
    const double pad = painter.fontMetrics().height() / 3.0;
    constexpr double from_cursor = 16;
    QRectF box = painter.fontMetrics().boundingRect(QRect({0, 0}, size), Qt::AlignLeft, text);
    box.adjust(-pad, -pad, pad, pad);
    box.moveTopLeft(beside + QPointF(from_cursor, from_cursor));
    if (box.right() > size.width()) {
        box.moveRight(beside.x() - from_cursor);
    }
    if (box.bottom() > size.height()) {
        box.moveBottom(beside.y() - from_cursor);
    }
    painter.setPen(palette.color(QPalette::ToolTipText));
    painter.setBrush(palette.color(QPalette::ToolTipBase));
    painter.drawRoundedRect(box, pad, pad);
    painter.drawText(box.adjusted(pad, pad, -pad, -pad), Qt::AlignLeft, text);
}

} // namespace texelscope::gui
