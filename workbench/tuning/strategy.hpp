#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/study/judge.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/measured_correction.hpp"
#include "workbench/tuning/search.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::tuning {

/// How the model orders what is tried.
struct ModelOrder {
    ModelVariant variant = ModelVariant::bottleneck;
    /// Of the other variants; where there is one, they break the bottlenecks' ties.
    Calibration calibration = {};
};

/// A search by a strategy: the trials, and how many elements it left out without a trial because of
/// what it knows.
struct StrategyResult {
    SearchResult search;
    std::int64_t ruled_out = 0; ///< by the rules
    Ranking model = {};         ///< what the model put first, where its order is the strategy's
    /// Probability that something that was not tried is 1 % faster, where the strategy tells it.
    std::optional<double> chance_left = {};
};

/// What a strategy searches, and with what. The references must outlive the search.
struct SearchTask {
    const Operator& op;
    const DeviceProfile& device;
    const ConfigurationSpace& space; ///< need not be the strategy's own
    TimesOf times_of;
    SearchBudget budget = {};
    std::uint64_t seed = 1;
    Progress progress = {};
    StopToken stop = {};
    ModelOrder order = {}; ///< of strategies that try the model's first
    /// What kernels of other shapes took, where the judge is a device that was asked before; of
    /// strategies that learn across shapes.
    const MeasuredCorrection* others = nullptr;
    /// Whether the judge can run it at all, as far as that is known before, for strategies that
    /// choose among candidates; empty: it can.
    std::function<bool(const Schedule&)> allowed = {};
    /// A judge that answers sooner than `times_of` and less exactly, for strategies that ask it
    /// first; null: there is none.
    const TimesOf* quick = nullptr;
    /// Told what is known so far, now and then, by strategies that know something early.
    std::function<void(const StrategyResult&)> so_far = {};
};

/// A way to tune an operator: what is searched, in which order, and whose answer counts.
struct Strategy {
    std::string name;
    std::string about; ///< one line
    /// Whose answer counts: the model's prediction, a time in the simulator, or a run whose output
    /// is checked.
    Judge judge = Judge::model;
    /// Keys of the parts that it searches where nobody names others; empty: it has a space of its
    /// own.
    std::function<std::string(const Operator&, const DeviceProfile&)> parts = {};
    /// What it searches. Throws bad_input where nothing fits the device, or there is no rule for
    /// the operator.
    std::function<ConfigurationSpace(const Operator&, const DeviceProfile&)> space = {};
    /// By the model: the `keep` first (0: all) of what it looks at, equal costs in the order of the
    /// space, or of `ties` where the whole space is looked at. Empty where another judge is asked.
    std::function<Ranking(const ModelCosts&, std::size_t keep,
                          const std::function<void(double)>& progress, const TieBreaker& ties)>
        rank = {};
    /// Of another judge: the order of the trials; it may throw Interrupted while it works that out.
    /// Empty where the model ranks.
    std::function<StrategyResult(const SearchTask&)> search = {};
    /// Runs where no budget is given; nothing: as many as there are elements. Strategies that
    /// choose one configuration without running it have 1.
    std::optional<std::int64_t> runs = {};
    /// The same of a strategy that asks a quick judge first, where there is one; nothing: it asks
    /// none.
    std::optional<std::int64_t> screens = {};
    bool learns = false;   ///< what it tries hangs on what came out before
    bool by_model = false; ///< another judge is asked, in the order of the model
    bool across_shapes =
        false; ///< it takes what other shapes took into account (SearchTask::others)
};

/// The registry: searches of our own, then what each baseline would try (`mnn`, ...; ranked by the
/// model), then how each framework of TMModel's comparison would choose (`as-mnn`, ...). A new one
/// is a row of one of these tables.
[[nodiscard]] const std::vector<Strategy>& all_strategies();
/// Throws bad_input, listing the names, for another one.
[[nodiscard]] const Strategy& parse_strategy(const std::string& name);
/// The same, or without a name what is asked by default, by whether a device judges.
[[nodiscard]] const Strategy& strategy_or_default(const std::optional<std::string>& name,
                                                  bool on_device);
/// The names that a condition holds for, as in "shortlist, random".
[[nodiscard]] std::string strategy_names(const std::function<bool(const Strategy&)>& which);

/// Searches in the strategy's order. Throws bad_input for one that the model ranks. Interrupted
/// while it still works out its order, it has no trials.
[[nodiscard]] StrategyResult run_strategy(const Strategy& strategy, const SearchTask& task);

} // namespace texelscope::workbench::tuning
