#pragma once

#include <QIcon>
#include <QPalette>

namespace texelscope::gui {

enum class Transport { first, previous, play, pause, next, last };

/// The usual picture of a playback button, in the palette's text colour, sharp at every pixel ratio.
[[nodiscard]] QIcon transport_icon(Transport button, const QPalette& palette, double pixel_ratio);

} // namespace texelscope::gui
