#pragma once

#include "model/identification/identify.hpp"
#include "workbench/plots/result_table.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// "nvidia-blocklinear-turing-gob16; 256 KiB, lines of 128 B with sectors of 32 B, 4 ways, 512
/// sets, xor index, lru"
[[nodiscard]] std::string to_text(const TextureCache& cache);

/// How much was tried, the best explanation, its error and the held-out one, and whether it
/// explains the walks: some lines.
[[nodiscard]] std::string identification_summary(const MeasuredWalks& measured,
                                                 const Identification& identification);

/// The explanations, best first: `error %` and `worst %` of the walks, `weight` (the probability
/// that it is the best of all), how many caches are `alike` on these walks, layout, cache and
/// latencies.
[[nodiscard]] ResultTable explanations_table(const Identification& identification);
/// A row for each property: whether the walks determine it or leave it open, and the weights of its
/// values.
[[nodiscard]] ResultTable support_table(const Identification& identification);
/// The caches that miss as the best explanation does on every walk.
[[nodiscard]] ResultTable alike_table(const Identification& identification);
/// Walks to measure: their reads, different texels, what the best explanation expects of each, and
/// the least and the most that any of the first so many explanations does, whose distance is `apart
/// %` of the best's.
[[nodiscard]] ResultTable next_walks_table(const Identification& identification,
                                           const MeasuredWalks& measured,
                                           const std::vector<TexelWalk>& walks);

} // namespace texelscope::workbench::probes
