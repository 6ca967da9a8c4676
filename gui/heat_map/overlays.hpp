#pragma once

#include "gui/heat_map/fold.hpp"
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

/// The order in which an image lies in memory, as lines from cell to cell through their middles, in
/// texels. Cells are the smallest of: texels, the storage layout's blocks from the innermost on, of
/// which at most `most` lie in the range. Cells that are apart in memory are not joined. Empty
/// where even the largest blocks are too many.
[[nodiscard]] QList<QLineF> storage_curve(const StoredImage& image, const TexelRange& range,
                                          std::int64_t most);

/// A heat map as it lies in a widget of that size.
struct PlacedMap {
    const HeatPicture& picture;
    const Fold& fold;
    const Viewport& view;
    QSize size;

    [[nodiscard]] std::vector<ShownBand> bands() const { return shown_bands(fold, view, size); }
    /// Where a cell of the picture lies in the widget.
    [[nodiscard]] QRectF place_of(Texel cell) const;
};

/// Borders of the storage layout's blocks, of inner ones where they are not too dense. `ratio`:
/// pixels of the image for one of the widget.
void blend_block_grid(QImage& image, const PlacedMap& map, double ratio);
/// Borders between texels of different L1 cache lines, once texels are large enough.
void paint_lines(QPainter& painter, const PlacedMap& map);
void paint_storage_order(QPainter& painter, const PlacedMap& map);
/// Where each band of a folded picture begins, above as many bands as there is room for.
void paint_band_labels(QPainter& painter, const PlacedMap& map, const QPalette& palette);

/// What goes down and across, at the lower edge of a view of that size.
void paint_axes(QPainter& painter, const TensorStack& tensor, QSize size, const QPalette& palette);

/// A frame that is seen on every colour: black within white.
void paint_frame(QPainter& painter, const QRectF& rect);
/// A frame around a texel, and four lines that point at it.
void paint_mark(QPainter& painter, const QRectF& texel);
/// Lines of text in a box beside a place, within a widget of that size.
void paint_box(QPainter& painter, const QString& text, QPointF beside, QSize size,
               const QPalette& palette);

} // namespace texelscope::gui
