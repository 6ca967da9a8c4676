#pragma once

#include "sim/observers/cross_block_histogram.hpp"

#include <cstdint>
#include <span>

namespace texelscope::model {

/// Strides into fresh blocks. Cross-block strides take every stride that leaves a block for equally
/// dear; but a walk that comes back to a block which is still cached pays nothing for it, and all
/// of the block patterns come back. So here, for an assumed block shape, a stride counts only where
/// it enters a block that is not among the last `remembered` distinct ones (the least recently used
/// is forgotten first). With the lines of the L1 cache for `remembered`, the shape that is the
/// line's counts the misses of a fully associative LRU cache, but for the first.
///
/// The result has the form of a cross-block histogram, so that the same regressions and the same
/// LinearModel serve: a fresh block is one event however it was entered, counted under x; y is 0.
/// Throws bad_input unless `remembered` > 0.
[[nodiscard]] CrossBlockHistogram
fresh_block_histogram(std::span<const Texel> texels, std::int64_t remembered,
                      std::span<const Extent2D> shapes = default_block_shapes());

} // namespace texelscope::model
