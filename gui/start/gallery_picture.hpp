#pragma once

#include "base/stop.hpp"
#include "gui/start/gallery.hpp"

#include <QImage>
#include <QSize>

namespace texelscope::gui {

/// A small picture of what an entry shows, made by the code that fills the window: the heat map of
/// its first image, cut to the picture's form; of walks, their latencies in order. `size`: in
/// pixels. Throws as what opens the entry does, Interrupted when `stop` answers true.
[[nodiscard]] QImage gallery_picture(const GalleryEntry& entry, QSize size, QRgb untouched,
                                     const StopToken& stop = {});

} // namespace texelscope::gui
