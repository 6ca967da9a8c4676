#pragma once

#include "experiments/search/search_replay.hpp"
#include "experiments/shared/experiment_result.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// Runs after which searches are compared, and shares of the best within which they come.
constexpr std::array<std::int64_t, 7> search_runs{1, 8, 16, 32, 64, 128, 192};
constexpr std::array search_shares{0.10, 0.05, 0.01};

/// What a search had found on one shape, over its seeds.
struct SearchOnShape {
    /// After each of search_runs, the time over the best that is known, geometric mean over the
    /// seeds.
    std::array<double, search_runs.size()> found{};
    /// Runs to within each of search_shares of the best, median over the seeds; nothing where half
    /// of them or more did not come there.
    std::array<std::optional<double>, search_shares.size()> within{};
};

/// What a search had found on several shapes.
struct SearchCurve {
    std::string name;
    int seeds = 1; ///< 1 where it has no randomness
    std::vector<SearchOnShape> shapes;

    /// What it had found after so many runs, which are one of search_runs: geometric mean over the
    /// shapes, and the worst of them.
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
