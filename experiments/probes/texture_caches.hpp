#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope {

/// The caches that reads of images go through: latency of a hit in each, and of what lies behind them; their lines (shape in
/// texels, so bytes), capacities and ways. One work-item goes round over random texels, each in a square of 8x8 of its own,
/// so that the storage layout does not matter; how the latency rises with their number gives capacity and ways
/// (fit_caches()); pairs of texels give the shape of the lines.
///
/// A line lies within 8x8 texels. Where it is fetched in sectors, pairs show these; the line is then the block of which the
/// cache holds as many as of single texels.
[[nodiscard]] ProbeResult probe_texture_caches(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope
