#pragma once

#include "sim/layout/layout_spec.hpp"
#include "traces/image.hpp"

#include <span>
#include <vector>

namespace texelscope::model {

/// Storage layouts that an image might have, the simplest first, no two of them the same for this image:
/// - rows, columns;
/// - one level of tiles, sides powers of two up to 64 texels and at most 16 KB, in row or Morton order, tiles in rows;
/// - `extra`, as given;
/// - the published ones (named_layouts()) that are known for this texel size.
/// Layouts that spread the image over more than four times its size are left out, but for `extra`.
[[nodiscard]] std::vector<LayoutSpec> layout_candidates(Extent2D extent, Bytes bytes_per_texel,
                                                        std::span<const LayoutSpec> extra = {});

} // namespace texelscope::model
