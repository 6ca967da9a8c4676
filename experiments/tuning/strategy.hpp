#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/space/configuration_space.hpp"
#include "experiments/tuning/baseline_rules.hpp"
#include "experiments/tuning/search.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// A way to tune an operator: what is searched, in which order, and whose answer counts.
struct Strategy {
    enum class Space {
        whole,       ///< configuration_space(): A, T, W, G
        patterns,    ///< pattern_space(): A, W
        groups,      ///< work_group_space(): G
        local_sizes, ///< local_size_space(): G, a short list
        baseline,    ///< baseline_schedules()
    };
    enum class Order {
        model,          ///< by the model's prediction, which is the answer: nothing is judged (rank_by_model())
        descent,        ///< the same, but few kernels are looked at (rank_by_descent())
        bottlenecks,    ///< ascending by the bottleneck model
        all,            ///< every element in the order of the space
        rules,          ///< select_by_rules(), the candidates in random order
        reuse_distance, ///< ascending by reuse_costs()
        random,         ///< random_search()
        learned,        ///< learned_search()
    };
    enum class Judged {
        by_model,
        by_simulator, ///< timed
        by_device,    ///< a run whose output is checked
    };

    std::string name;
    std::string about; ///< one line
    Space space = Space::whole;
    Order order = Order::model;
    Judged judged = Judged::by_model;
    /// Runs where no budget is given; nothing: as many as there are elements. Strategies that choose one configuration
    /// without running it have 1.
    std::optional<std::int64_t> runs = {};
    std::optional<Baseline> baseline = {}; ///< of Space::baseline
};

/// "model", "descent", "simulate", "device", "rules", "reuse-distance", "random", "learned", "local-size", and the baselines.
[[nodiscard]] std::vector<Strategy> all_strategies();
/// Throws bad_input, listing the names, for another one.
[[nodiscard]] Strategy parse_strategy(const std::string& name);

/// What the strategy searches. Throws bad_input where nothing fits the device, or a baseline has no rule for the operator.
[[nodiscard]] ConfigurationSpace strategy_space(const Strategy& strategy, const Operator& op,
                                                const DeviceProfile& device);

/// A search by a strategy: the trials, and how many elements it left out without a trial because of what it knows.
struct StrategyResult {
    SearchResult search;
    std::int64_t ruled_out = 0; ///< by the rules
};

/// Searches a space, which need not be the strategy's own, in the strategy's order. Throws bad_input for one that the model
/// judges. Interrupted while it still works out its order, it has no trials.
[[nodiscard]] StrategyResult run_strategy(const Strategy& strategy, const Operator& op, const DeviceProfile& device,
                                          const ConfigurationSpace& space, const Judge& judge,
                                          const SearchBudget& budget, std::uint64_t seed, const Progress& progress = {},
                                          const StopToken& stop = {});

} // namespace texelscope::experiments
