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

/// Over the heat map: the texels that the L1 holds, tinted and outlined, and the texels that the
/// access reads. Reduced, where texels are less than a pixel, each line is a mark at the texel that
/// brought it in.
void paint_playback(QPainter& painter, const PlacedMap& map, const PlaybackFrame& frame);

} // namespace texelscope::gui
