#include "gui/heat_map/overlays.hpp"

#include "gui/heat_map/heat_map_raster.hpp"
#include "gui/widgets/controls.hpp"

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

// The smallest cells (texels, then the blocks of the layout from inside out) of which a range has
// no more than `most`; nothing where even the largest blocks are too many.
std::optional<Extent2D> cells_within(const StoredImage& image, const TexelRange& range,
                                     std::int64_t most)
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

std::int32_t round_up(std::int32_t at, std::int32_t to)
{
    return (at + to - 1) / to * to;
}

std::int64_t area(const TexelRange& range)
{
    return std::int64_t{range.x1 - range.x0} * (range.y1 - range.y0);
}

} // namespace

// Lines from each cell to the next one in memory. Cells that are not next to each other in memory,
// because others between them are out of sight, are not joined.
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
        for (std::int32_t x = range.x0 / size->width * size->width; x < range.x1;
             x += size->width) {
            // Blocks are cut off at the edges of the image.
            const std::int32_t right = std::min(x + size->width, image.extent.width);
            const std::int32_t bottom = std::min(y + size->height, image.extent.height);
            cells.push_back(
                {image.layout.offset({x, y}) / bytes, {(x + right) / 2.0, (y + bottom) / 2.0}});
        }
    }
    std::sort(cells.begin(), cells.end(),
              [](const Cell& a, const Cell& b) { return a.place < b.place; });
    QList<QLineF> lines;
    for (std::size_t i = 1; i < cells.size(); ++i) {
        if (cells[i].place - cells[i - 1].place <= 1) {
            lines << QLineF(cells[i - 1].middle, cells[i].middle);
        }
    }
    return lines;
}

QRectF PlacedMap::place_of(Texel cell) const
{
    const Texel at = fold.place(cell);
    return {view.to_widget(QPointF(at.x, at.y)), QSizeF(view.scale, view.scale)};
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
    constexpr double closest = 10; // pixels between lines; a denser grid would hide the counts
    const auto from = [](double at, double width) {
        return static_cast<int>(std::lround(at - width / 2));
    };
    for (const ShownBand& band : map.bands()) {
        const Viewport& view = band.view;
        const TexelRange& range = band.range;
        const QRectF part(
            view.to_widget({static_cast<double>(range.x0), static_cast<double>(range.y0)}) * ratio,
            view.to_widget({static_cast<double>(range.x1), static_cast<double>(range.y1)}) * ratio);
        double thickness = 1;
        for (const Extent2D block : map.picture.stored.layout.blocks()) {
            // Light with a dark edge, to be seen on every colour of the map.
            for (const auto& [colour, width] : {std::pair{QColor(0, 0, 0, 90), thickness + 1},
                                                {QColor(255, 255, 255, 200), thickness}}) {
                const int pixels = std::max(1, static_cast<int>(std::lround(width * ratio)));
                for (std::int32_t x = round_up(range.x0, block.width);
                     x <= range.x1 && block.width * view.scale >= closest; x += block.width) {
                    const double at = view.to_widget({static_cast<double>(x), 0}).x() * ratio;
                    blend(image,
                          QRect(from(at, pixels), from(part.top(), 0), pixels,
                                from(part.height(), 0)),
                          colour);
                }
                for (std::int32_t y = round_up(range.y0, block.height);
                     y <= range.y1 && block.height * view.scale >= closest; y += block.height) {
                    const double at = view.to_widget({0, static_cast<double>(y)}).y() * ratio;
                    blend(image,
                          QRect(from(part.left(), 0), from(at, pixels), from(part.width(), 0),
                                pixels),
                          colour);
                }
            }
            thickness += 1;
        }
    }
}

void paint_lines(QPainter& painter, const PlacedMap& map)
{
    constexpr double closest = 6; // pixels of a texel
    if (map.view.scale < closest) {
        return;
    }
    const Extent2D extent = map.picture.stored.extent;
    const auto line_of = [&](Texel t) {
        return map.picture.stored.layout.offset(t) /
               map.picture.launch->options.machine.l1().geometry.line.value;
    };
    painter.setPen(QPen(QColor(255, 80, 80, 220), 1));
    for (const ShownBand& band : map.bands()) {
        for (std::int32_t y = band.range.y0; y < band.range.y1; ++y) {
            for (std::int32_t x = band.range.x0; x < band.range.x1; ++x) {
                const QPointF corner = band.view.to_widget({x + 1.0, y + 1.0});
                if (x + 1 < extent.width && line_of({x, y}) != line_of({x + 1, y})) {
                    painter.drawLine(corner, corner - QPointF(0, map.view.scale));
                }
                if (y + 1 < extent.height && line_of({x, y}) != line_of({x, y + 1})) {
                    painter.drawLine(corner, corner - QPointF(map.view.scale, 0));
                }
            }
        }
    }
}

void paint_storage_order(QPainter& painter, const PlacedMap& map)
{
    constexpr std::int64_t most_cells = 4000; // more are too dense to follow, and take long to draw
    const std::vector<ShownBand> bands = map.bands();
    std::int64_t texels = 0;
    for (const ShownBand& band : bands) {
        texels += area(band.range);
    }
    for (const ShownBand& band : bands) {
        const auto most = static_cast<std::int64_t>(static_cast<double>(most_cells) *
                                                    static_cast<double>(area(band.range)) /
                                                    static_cast<double>(texels));
        QList<QLineF> lines = storage_curve(map.picture.stored, band.range, most);
        for (QLineF& line : lines) {
            line = QLineF(band.view.to_widget(line.p1()), band.view.to_widget(line.p2()));
        }
        // Blocks that are cut by the edge of a band have their middles outside of it.
        const TexelRange whole = map.fold.texels(band.band);
        painter.save();
        painter.setClipRect(QRectF(band.view.to_widget(QPointF(whole.x0, whole.y0)),
                                   band.view.to_widget(QPointF(whole.x1, whole.y1))));
        for (const auto& [colour, thickness] :
             {std::pair{QColor(0, 0, 0, 140), 3.0}, {QColor(255, 255, 255, 230), 1.2}}) {
            painter.setPen(QPen(colour, thickness));
            painter.drawLines(lines);
        }
        painter.restore();
    }
}

void paint_band_labels(QPainter& painter, const PlacedMap& map, const QPalette& palette)
{
    if (!map.fold.folded()) {
        return;
    }
    const QFontMetrics metrics = painter.fontMetrics();
    QRectF last;
    for (const ShownBand& band : map.bands()) {
        const TexelRange whole = map.fold.texels(band.band);
        const QPointF corner = band.view.to_widget(QPointF(whole.x0, whole.y0));
        const QString text = map.picture.band_text(map.fold, band.band);
        // Above the band, or at the upper edge of the view where that is out of sight.
        QRectF place({corner.x(), std::max(1.0, corner.y() - metrics.height() - 1)},
                     QSizeF(metrics.horizontalAdvance(text) + 2, metrics.height()));
        const bool beside_last =
            last.isNull() || !place.adjusted(-metrics.averageCharWidth(), 0, 0, 0).intersects(last);
        if (!beside_last || (place.right() > painter.window().right() && place.left() > 0)) {
            continue; // no room
        }
        last = place;
        if (place.bottom() > corner.y()) { // over the map
            painter.fillRect(place, palette.window());
        }
        painter.setPen(palette.color(QPalette::WindowText));
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, text);
    }
}

void paint_axes(QPainter& painter, const TensorStack& tensor, QSize size, const QPalette& palette)
{
    const QFontMetrics metrics = painter.fontMetrics();
    const QString text = tensor.axes_text();
    const QRect place(3, size.height() - metrics.height() - 2, metrics.horizontalAdvance(text) + 4,
                      metrics.height());
    painter.fillRect(place, palette.window());
    painter.setPen(palette.color(QPalette::WindowText));
    painter.drawText(place, Qt::AlignCenter | Qt::TextDontClip, text);
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
        painter.drawLine(QPointF(frame.left() - reach, middle.y()),
                         QPointF(frame.left(), middle.y()));
        painter.drawLine(QPointF(frame.right(), middle.y()),
                         QPointF(frame.right() + reach, middle.y()));
        painter.drawLine(QPointF(middle.x(), frame.top() - reach),
                         QPointF(middle.x(), frame.top()));
        painter.drawLine(QPointF(middle.x(), frame.bottom()),
                         QPointF(middle.x(), frame.bottom() + reach));
    }
}

void paint_box(QPainter& painter, const QString& text, QPointF beside, QSize size,
               const QPalette& palette)
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
