#pragma once

#include "model/identification/identify.hpp"
#include "workbench/plots/result_table.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// "nvidia-blocklinear-turing-gob16; 256 KiB, lines of 128 B with sectors of 32 B, 4 ways, 512
/// sets, xor index, lru"
[[nodiscard]] std::string to_text(const TextureCache& cache);

/// A summary of some lines: how many explanations were tried, the best one with its error on fitted
/// and on held-out walks, and whether it explains the walks.
[[nodiscard]] std::string identification_summary(const MeasuredWalks& measured,
                                                 const Identification& identification);

/// The explanations, best first. Columns: `error %` and `worst %` of the walks, `weight` (the
/// probability that it is the best of all), `alike` (how many caches cannot be told apart on these
/// walks), layout, cache and latencies.
[[nodiscard]] ResultTable explanations_table(const Identification& identification);
/// A row for each property of the cache: whether the walks determine it or leave it open, and the
/// weights of its values.
[[nodiscard]] ResultTable support_table(const Identification& identification);
/// The caches that would have the same misses as the best explanation on every walk.
[[nodiscard]] ResultTable alike_table(const Identification& identification);
/// Walks to measure next. Columns: reads, different texels, the latency that the best explanation
/// predicts, the least and the largest that any of the first few explanations predicts, and `apart
/// %`, the distance of these two as a share of the best's.
[[nodiscard]] ResultTable next_walks_table(const Identification& identification,
                                           const MeasuredWalks& measured,
                                           const std::vector<TexelWalk>& walks);

} // namespace texelscope::workbench::probes
