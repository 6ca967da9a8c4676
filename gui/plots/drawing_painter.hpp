#pragma once

#include "workbench/plots/drawing.hpp"

#include <QColor>
#include <QImage>
#include <QPainter>
#include <QPalette>

namespace texelscope::gui {

/// A colour of a drawing, which is made for a white ground, as it is shown under a palette: greys
/// go from the palette's text to its base, other colours are lightened where the base is dark.
[[nodiscard]] QColor shown_colour(Rgb colour, const QPalette& palette);

/// Paints the shapes, one unit of the drawing a unit of the painter. Thin upright and level lines
/// stay sharp under every scale.
void paint(QPainter& painter, const Drawing& drawing, const QPalette& palette);

/// The drawing on a white ground, `scale` pixels to a unit.
[[nodiscard]] QImage image_of(const Drawing& drawing, double scale);

} // namespace texelscope::gui
