#pragma once

#include "workbench/study/prediction.hpp"

namespace texelscope::workbench::tuning {

/// The model's choice from few kernels: coordinate descent. From the space's first kernel, and from
/// that with the last patterns and tile, first the tile, then one knob after the other
/// (KernelKnobs) goes to its best value, until none gains. A kernel is looked at in all of its
/// work-groups at once; one that copies blocks (S) in one of them, and only where nothing else
/// gains in the others. The ranking has what was looked at, and the `keep` first of it (0: all). It
/// may miss the model's best: docs/benchmarks.md has by how much. `random_starts`: further kernels
/// that it begins from, drawn with the same seed each time.
[[nodiscard]] Ranking rank_by_descent(const ModelCosts& costs, std::size_t keep,
                                      const std::function<void(double)>& progress = {},
                                      const TieBreaker& ties = {}, int random_starts = 4);

/// The `keep` first: of all where the space has a few thousand kernels, which takes a second, else
/// of descent.
[[nodiscard]] Ranking first_by_model(const ModelCosts& costs, std::size_t keep,
                                     const std::function<void(double)>& progress = {},
                                     const TieBreaker& ties = {}, int random_starts = 4);

/// As many kernels as asked for (fewer where there are not so many), each in its best work-group
/// and of another predicted time: what a search by the model looks at first where nobody names
/// parts, priced_parts().
[[nodiscard]] std::vector<Schedule>
first_over_all_parts(const Operator& op, const DeviceProfile& device,
                     const Calibration& calibration, ModelVariant variant, std::size_t count,
                     const std::function<void(double)>& progress = {}, const StopToken& stop = {});

} // namespace texelscope::workbench::tuning
