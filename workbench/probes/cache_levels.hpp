#pragma once

#include "model/curves/rough_levels.hpp"
#include "workbench/probes/chases.hpp"
#include "workbench/probes/probe.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// Where levels of caches are, roughly.
struct LevelSurvey {
    ProbeCurve curve;
    RoughLevels levels;
    std::vector<std::string> notes;
};

/// Chases over numbers of texels from one on, two to a doubling. Where no second level is seen, or
/// what was read is not several times the last one that is, the image grows as far as the device
/// and the options allow; where it fails after all, that is noted.
[[nodiscard]] LevelSurvey survey_levels(ScatteredChases& chases, const std::string& name);

/// The caches that reads of images, or of buffers, go through: latency of a hit in each, and of
/// what lies behind them; their lines (of images the shape in texels), capacities and ways. One
/// work-item goes round over random texels, each in a rectangle of its own (images: 8x8 texels, so
/// that the storage layout does not matter; buffers: 64 in a row); how the latency rises with their
/// number gives capacity and ways (fit_caches()); pairs of texels give the lines.
///
/// A line lies within such a rectangle. Where it is fetched in sectors, pairs show these; the line
/// is then the block of which the cache holds as many as of single texels.
///
/// Keys of findings about buffers begin with "buffer.".
[[nodiscard]] ProbeResult probe_cache_levels(Target& target, MemorySpace memory,
                                             const ProbeOptions& options);

} // namespace texelscope::workbench::probes
