#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// The caches that reads of images, or of buffers, go through: latency of a hit in each, and of what lies behind them; their
/// lines (of images the shape in texels), capacities and ways. One work-item goes round over random texels, each in a rectangle
/// of its own (images: 8x8 texels, so that the storage layout does not matter; buffers: 64 in a row); how the latency rises with
/// their number gives capacity and ways (fit_caches()); pairs of texels give the lines.
///
/// A line lies within such a rectangle. Where it is fetched in sectors, pairs show these; the line is then the block of which
/// the cache holds as many as of single texels.
///
/// Keys of findings about buffers begin with "buffer.".
[[nodiscard]] ProbeResult probe_cache_levels(Target& target, MemorySpace memory, const ProbeOptions& options);

} // namespace texelscope::experiments
