#pragma once

#include "experiments/search/search_replay.hpp"
#include "experiments/shared/experiment_result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// What a search had found on one shape, over its seeds.
struct SearchOnShape {
    FoundAfter found; ///< geometric mean over the seeds
    /// Runs to within each of `shares` of the best, median over the seeds; nothing where half of
    /// them or more did not come there.
    std::vector<std::optional<std::int64_t>> within;
};

/// What a search had found on several shapes.
struct SearchCurve {
    std::string name;
    int seeds = 1; ///< 1 where it has no randomness
    std::vector<SearchOnShape> shapes;

    /// Geometric mean over the shapes of what `runs` runs had found over the best; of shapes with
    /// fewer kernels what all had.
    [[nodiscard]] double mean(std::int64_t runs) const;
    [[nodiscard]] double worst(std::int64_t runs) const;
    /// Median over the shapes of the runs to within share number `share`; nothing where half of the
    /// shapes or more have none.
    [[nodiscard]] std::optional<double> runs_to(std::size_t share) const;
};

/// Every strategy on the kernels that were measured densely on an NVIDIA H200, and beside them
/// Kernel Tuner's own strategies on the same kernels.
[[nodiscard]] ExperimentResult run_searches(const ExperimentDevice& device,
                                            const Progress& progress, const StopToken& stop);

} // namespace texelscope::experiments
