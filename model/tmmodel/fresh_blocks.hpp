#pragma once

#include "sim/observers/cross_block_histogram.hpp"

#include <cstdint>
#include <span>

namespace texelscope::model {

/// Counts strides into fresh blocks, an alternative to the paper's cross-block strides. These
/// charge every stride that leaves a block; but returning to a block that is still cached costs
/// nothing, and all block patterns do return. Here, for an assumed block shape, a stride counts
/// only if it enters a block that is not among the last `remembered` distinct blocks (the least
/// recently used is forgotten first). If `remembered` is the number of L1 lines and the shape is
/// that of a line, the count is that of the misses of a fully associative LRU cache, without the
/// first.
///
/// The result has the form of a cross-block histogram, so that the same regressions and LinearModel
/// can be used. A fresh block is one event however it was entered; it is counted under x, and y is
/// 0.
/// Throws bad_input unless `remembered` > 0.
[[nodiscard]] CrossBlockHistogram
fresh_block_histogram(std::span<const Texel> texels, std::int64_t remembered,
                      std::span<const Extent2D> shapes = default_block_shapes());

} // namespace texelscope::model
