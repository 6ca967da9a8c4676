#pragma once

#include "experiments/romou/romou_pruning.hpp"
#include "experiments/shared/experiment_device.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

// Romou, section 5.3 with figure 18: how soon a search with a learned cost model finds a fast
// kernel, in the whole space and in what pruning leaves of it.

struct SearchCostOptions {
    std::int64_t runs = 48; ///< of each search
    int seeds = 5;
    std::int64_t most_accesses = 4'000; ///< of a simulation (sampled_time())
};

struct SearchCost {
    /// Searches of one space.
    struct Searches {
        std::int64_t space = 0; ///< elements
        /// By seed, then by run: the rate of the fastest kernel so far; 0 before one could run.
        /// Empty: no space, no search.
        std::vector<std::vector<double>> gflops;

        [[nodiscard]] std::vector<double> median() const; ///< over the seeds, by run
        /// Runs after which the median is within 1 % of that rate; nothing where it never is.
        [[nodiscard]] std::optional<std::int64_t> runs_to(double rate) const;
    };
    struct Case {
        std::string name;
        Searches whole;
        Searches each_item;   ///< what pruning leaves, the bytes in L1 counted as the paper does
        Searches shared_once; ///< the same with texels that work-items share counted once

        [[nodiscard]] const Searches& pruned(LoadCounting counting) const
        {
            return counting == LoadCounting::each_item ? each_item : shared_once;
        }
    };
    std::vector<Case> cases; ///< in the order of the examples
};

/// Each example's space whole, and pruned with both ways to count the bytes in L1.
[[nodiscard]] SearchCost measure_search_cost(const std::vector<PruningExample>& examples,
                                             const ExperimentDevice& device,
                                             const SearchCostOptions& options = {},
                                             const Progress& progress = {},
                                             const StopToken& stop = {});

/// What the paper says of figure 18, decided by the data of romou_examples().
[[nodiscard]] std::vector<Finding> romou_search_cost_findings(const SearchCost& data);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_romou_search_cost;

} // namespace texelscope::experiments
