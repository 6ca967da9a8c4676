#pragma once

#include "model/identification/identify_structures.hpp"
#include "model/tmmodel/latency_fit.hpp"
#include "model/walks/measured_walks.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace texelscope::model {

/// Training sets of a cross-validation: trainings[0] is all walks, trainings[f] all but those of
/// fold f (from 1 on).
struct Folds {
    std::vector<std::vector<std::size_t>> trainings;
    std::vector<std::size_t> fold_of_walk; ///< from 1 on
};
[[nodiscard]] Folds make_folds(std::size_t walks, int folds, std::uint64_t seed);

/// A panel: some of the walks, in the form that scoring needs.
struct Panel {
    std::vector<std::size_t> walks; ///< ascending
    std::vector<double> ns;
    std::vector<double> reads;
    /// For each training set, the places in `walks` of its walks.
    std::vector<std::vector<std::size_t>> chosen;
};
[[nodiscard]] Panel make_panel(std::vector<std::size_t> walks, const MeasuredWalks& measured,
                               const Folds& folds);

/// Mean relative error of a cache by training set, given its misses by walk of the panel.
[[nodiscard]] std::vector<float> scores(const Panel& panel, std::span<const std::uint32_t> misses,
                                        int rounds);

/// Ways that are tried: every number with at most four significant bits from 1 to `most`.
[[nodiscard]] std::vector<std::int64_t> ways_to_try(std::int64_t most);

/// A cache, that is a class of structures with a number of ways, and how well it explains the walks
/// of a panel.
struct ScoredCache {
    std::size_t structure = 0; ///< place in a list of classes
    std::int64_t ways = 0;
    std::vector<std::uint32_t> misses; ///< by walk of the panel
    std::vector<float> score;          ///< by training set: mean relative error times surcharge()
};

/// Which classes each training set still considers: [training][class].
using Survivors = std::vector<std::vector<bool>>;

/// The `count` classes with the least score of any of their caches, for each training set apart.
/// `allowed`: what a training set may choose from (empty: everything).
[[nodiscard]] Survivors best_classes(const std::vector<ScoredCache>& caches, std::size_t classes,
                                     std::size_t trainings, std::size_t count,
                                     const Survivors& allowed = {});

/// One class and the ways to try.
struct EvaluationTask {
    std::size_t structure = 0;
    std::vector<std::int64_t> ways; ///< ascending
};

/// Tasks for every class with every number of ways up to a capacity.
[[nodiscard]] std::vector<EvaluationTask> all_ways(const std::vector<StructureClass>& classes,
                                                   Bytes most_capacity);

/// Replays walks in caches and scores them.
class CacheEvaluator {
public:
    /// `finder` and `stop` must outlive this.
    CacheEvaluator(const StructureFinder& finder, int threads, const StopToken& stop)
        : finder_(finder), threads_(threads), stop_(stop)
    {}

    /// Of each class, the caches with the best few ways for each training set, in the order of the
    /// tasks. `done` is called with the fraction done.
    [[nodiscard]] std::vector<ScoredCache> operator()(const std::vector<StructureClass>& classes,
                                                      const std::vector<EvaluationTask>& tasks,
                                                      const Panel& panel,
                                                      const std::function<void(double)>& done);
    /// Caches that were scored so far.
    [[nodiscard]] std::int64_t tried() const { return tried_; }

private:
    const StructureFinder& finder_;
    int threads_;
    const StopToken& stop_;
    std::int64_t tried_ = 0;
};

} // namespace texelscope::model
