#pragma once

#include "gui/heat_map/colour_table.hpp"
#include "gui/heat_map/overlays.hpp"

#include <QPalette>
#include <QPointF>
#include <QRectF>
#include <optional>

class QPainter;

namespace texelscope::gui {

/// A small map of the whole plane in the lower right corner of a view that shows a part of it.
struct Overview {
    QRectF frame;   ///< in the widget
    Viewport view;  ///< of the plane, from the frame's upper left corner
    QRectF visible; ///< in the widget: what the view shows of the plane

    /// The place of the plane under a place of the widget, the nearest one inside.
    [[nodiscard]] QPointF plane_at(QPointF widget) const;
    /// Whether the mouse takes hold of it there; a narrow one is held beside its frame too.
    [[nodiscard]] bool contains(QPointF widget) const;
};

/// Nothing where all of the plane is seen.
[[nodiscard]] std::optional<Overview> overview_of(Extent2D plane, const Viewport& view,
                                                  QSizeF widget);

/// `ratio`: device pixels for one of the widget.
void paint_overview(QPainter& painter, const Overview& overview, const PlacedMap& map,
                    const ColourTable& colours, const QPalette& palette, double ratio);

} // namespace texelscope::gui
