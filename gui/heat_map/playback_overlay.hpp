#pragma once

#include "gui/heat_map/access_recording.hpp"
#include "gui/heat_map/overlays.hpp"
#include "sim/memory/image_storage.hpp"

namespace texelscope::gui {

/// The image that a playback is drawn on.
struct PlaybackGround {
    const StoredImage& stored;
    std::size_t image; ///< its number in the launch
    Bytes granule;     ///< of L1: a line, or a sector
};

/// Whether every byte of the texel is in those lines (sectors).
[[nodiscard]] bool is_held(const PlaybackGround& ground, const std::vector<HeldLine>& held,
                           Texel texel);

/// Paints over the heat map which texels L1 holds (tinted and outlined) and which texels the access
/// reads. Where texels are smaller than a pixel, each line is a mark at the texel that brought it
/// in.
void paint_playback(QPainter& painter, const PlacedMap& map, const PlaybackFrame& frame);

} // namespace texelscope::gui
