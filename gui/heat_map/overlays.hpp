#pragma once

#include "gui/heat_map/access_recording.hpp"
#include "gui/heat_map/heat_picture.hpp"
#include "gui/heat_map/viewport.hpp"
#include "sim/memory/image_storage.hpp"

#include <QImage>
#include <QLineF>
#include <QList>
#include <QPalette>
#include <QSize>

class QPainter;

namespace texelscope::gui {

/// The order in which an image lies in memory, as lines from cell to cell through their middles, in texels. Cells are the
/// smallest of: texels, the storage layout's blocks from the innermost on, of which at most `most` lie in the range.
/// Cells that are apart in memory are not joined. Empty where even the largest blocks are too many.
[[nodiscard]] QList<QLineF> storage_curve(const StoredImage& image, const TexelRange& range, std::int64_t most);

/// The image that a playback is drawn on.
struct PlaybackGround {
    const StoredImage& stored;
    std::size_t image; ///< its number in the launch
    Bytes granule;     ///< of L1: a line, or a sector
};

/// Whether every byte of the texel is in those lines (sectors).
[[nodiscard]] bool is_held(const PlaybackGround& ground, const std::vector<HeldLine>& held, Texel texel);

/// Over the heat map: the texels that the L1 holds, tinted and outlined, and the texels that the access reads. Reduced,
/// where texels are less than a pixel, each line is a mark at the texel that brought it in.
void paint_playback(QPainter& painter, const Viewport& view, QSize widget, const PlaybackGround& ground,
                    const PlaybackFrame& frame);

/// A heat map as it lies in a widget of that size.
struct PlacedMap {
    const HeatPicture& picture;
    const Viewport& view;
    QSize size;
};

/// Borders of the storage layout's blocks, of inner ones where they are not too dense. `ratio`: pixels of the image for one of
/// the widget.
void blend_block_grid(QImage& image, const PlacedMap& map, double ratio);
/// Borders between texels of different L1 cache lines, once texels are large enough.
void paint_lines(QPainter& painter, const PlacedMap& map);
void paint_storage_order(QPainter& painter, const PlacedMap& map);

/// A frame that is seen on every colour: black within white.
void paint_frame(QPainter& painter, const QRectF& rect);
/// A frame around a texel, and four lines that point at it.
void paint_mark(QPainter& painter, const QRectF& texel);
/// Lines of text in a box beside a place, within a widget of that size.
void paint_box(QPainter& painter, const QString& text, QPointF beside, QSize size, const QPalette& palette);

} // namespace texelscope::gui
