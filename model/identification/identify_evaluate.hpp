#pragma once

#include "model/identification/identify_panel.hpp"
#include "model/identification/identify_structures.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace texelscope::model {

/// A class with a number of ways, and how well it explains the walks of a panel.
struct ScoredCache {
    std::size_t structure = 0; ///< place in a list of classes
    std::int64_t ways = 0;
    std::vector<std::uint32_t> misses; ///< by walk of the panel
    std::vector<float> score;          ///< by training set: mean relative error times surcharge()
};

/// Which classes are still in the race in the view of each training set: [training][class].
using Survivors = std::vector<std::vector<bool>>;

/// The `count` classes with the least score of any of their caches, for each training set apart. `allowed`: what a training
/// set may choose from (empty: everything).
[[nodiscard]] Survivors best_classes(const std::vector<ScoredCache>& caches, std::size_t classes, std::size_t trainings,
                                     std::size_t count, const Survivors& allowed = {});

/// One class and the ways to try.
struct EvaluationTask {
    std::size_t structure = 0;
    std::vector<std::int64_t> ways; ///< ascending
};

/// Every class with every number of ways up to a capacity.
[[nodiscard]] std::vector<EvaluationTask> all_ways(const std::vector<StructureClass>& classes, Bytes most_capacity);

/// Replays walks in caches and scores them.
class CacheEvaluator {
public:
    /// `finder` and `stop` must outlive this.
    CacheEvaluator(const StructureFinder& finder, int threads, const StopToken& stop)
        : finder_(finder), threads_(threads), stop_(stop)
    {}

    /// Of each class, the caches with the best few ways for each training set, in the order of the tasks. `done` is called
    /// with the fraction done.
    [[nodiscard]] std::vector<ScoredCache> operator()(const std::vector<StructureClass>& classes,
                                                      const std::vector<EvaluationTask>& tasks, const Panel& panel,
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
