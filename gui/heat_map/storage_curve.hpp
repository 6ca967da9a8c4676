#pragma once

#include "gui/heat_map/viewport.hpp"
#include "sim/memory/image_storage.hpp"

#include <QLineF>
#include <QList>

namespace texelscope::gui {

/// The order in which an image lies in memory, as lines from cell to cell through their middles, in texels. Cells are the
/// smallest of: texels, the storage layout's blocks from the innermost on, of which at most `most` lie in the range.
/// Cells that are apart in memory are not joined. Empty where even the largest blocks are too many.
[[nodiscard]] QList<QLineF> storage_curve(const StoredImage& image, const TexelRange& range, std::int64_t most);

} // namespace texelscope::gui
