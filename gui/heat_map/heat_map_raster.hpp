#pragma once

#include "gui/heat_map/colour_table.hpp"
#include "gui/heat_map/max_pyramid.hpp"
#include "gui/heat_map/viewport.hpp"

#include <QImage>

namespace texelscope::gui {

/// The part of a heat map that a viewport shows, one colour a pixel, `outside` around the map. Magnified, a pixel has
/// the count of the texel at its middle; reduced, at least the maximum over every texel that it touches, and at most
/// over those within one pixel of it, so that each texel's count is shown at every zoom.
[[nodiscard]] QImage heat_map_raster(const MaxPyramid& pyramid, const Viewport& view, QSize size,
                                     const ColourTable& colours, QRgb outside);

/// Lays a translucent colour over a part of a picture in Format_RGB32; many times as fast as a painter where the parts are
/// many and thin.
void blend(QImage& image, const QRect& part, const QColor& colour);

} // namespace texelscope::gui
