#pragma once

#include "experiments/study/prediction.hpp"

namespace texelscope::experiments {

/// The model's choice from few kernels, each with all of its work-groups: coordinate descent. From the space's first and
/// from its last kernel, first the tile, then one knob after the other (kernel_knobs()) goes to its best value, until none
/// gains. The ranking has what was looked at, and the `keep` first of it (0: all). It may miss the model's best:
/// docs/benchmarks.md has by how much.
[[nodiscard]] Ranking rank_by_descent(const ModelCosts& costs, std::size_t keep,
                                      const std::function<void(double)>& progress = {});

} // namespace texelscope::experiments
