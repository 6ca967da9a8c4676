#pragma once

#include "model/curves/rough_levels.hpp"
#include "workbench/probes/chases.hpp"
#include "workbench/probes/probe.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// Roughly at which capacities levels of cache end, from one curve of latencies.
struct LevelSurvey {
    ProbeCurve curve;
    RoughLevels levels;
    std::vector<std::string> notes;
};

/// Measures the latency of chases over growing numbers of texels, two numbers per doubling. If no
/// second level is seen, or if the largest number is not several times the last level seen, the
/// image grows as far as the device and the options allow; a growth that fails is noted.
[[nodiscard]] LevelSurvey survey_levels(ScatteredChases& chases, const std::string& name);

/// Finds the caches that reads of images, or of buffers, go through: the latency of a hit in each
/// and of what lies behind them, their lines (of images the shape in texels), capacities and ways.
///
/// One work-item goes round and round over random texels, each in a rectangle of its own (8x8
/// texels of an image, so that the storage layout does not matter; 64 in a row of a buffer). How
/// the latency rises with the number of texels gives capacity and ways (fit_caches()); pairs of
/// texels give the lines.
///
/// This assumes that a line lies within such a rectangle. Where a line is fetched in sectors, pairs
/// show only these; the line is then the block of which the cache holds as many as it holds single
/// texels.
///
/// Keys of findings about buffers begin with "buffer.".
[[nodiscard]] ProbeResult probe_cache_levels(Target& target, MemorySpace memory,
                                             const ProbeOptions& options);

} // namespace texelscope::workbench::probes
