#pragma once

#include "model/identification/identify.hpp"
#include "model/identification/identify_evaluate.hpp"
#include "model/identification/identify_structures.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace texelscope::model {

/// Whether any training set has kept the class.
[[nodiscard]] bool is_kept(const Survivors& kept, std::size_t place);

/// Survivors among parts: those of the classes that they are parts of.
[[nodiscard]] Survivors inherited(const std::vector<StructureClass>& parts, const Survivors& kept);

/// By origin: the class with the least score in the view of a training set.
[[nodiscard]] std::vector<std::size_t>
best_class_of_origin(const std::vector<ScoredCache>& caches,
                     const std::vector<StructureClass>& classes, std::size_t origins,
                     std::size_t training);

/// Layout, line and sector of a structure.
using ShapeKey = std::array<std::int64_t, 3>;
[[nodiscard]] ShapeKey key_of(const CacheStructure& structure);

/// Whether a member has one of these keys.
[[nodiscard]] bool has_key(const StructureClass& structures, const std::set<ShapeKey>& keys);

/// The shapes with those of their members alone that have one of these keys.
[[nodiscard]] std::vector<StructureClass> only(const std::vector<StructureClass>& shapes,
                                               const std::set<ShapeKey>& wanted);

/// The search of identify(), stage by stage.
class IdentifySearch {
public:
    /// All arguments must outlive this.
    IdentifySearch(const MeasuredWalks& measured, const IdentifyOptions& options,
                   const Progress& progress, const StopToken& stop);

    /// Everything that was scored on all walks at the end, and what each training set may choose
    /// from.
    struct Outcome {
        std::vector<StructureClass> classes;
        std::vector<ScoredCache> caches;
        Survivors allowed;
        std::int64_t tried = 0;
    };
    [[nodiscard]] Outcome run();

    [[nodiscard]] const std::vector<LayoutSpec>& layouts() const { return finder_.layouts(); }
    [[nodiscard]] const Folds& folds() const { return folds_; }

private:
    /// Evaluates while the progress goes from one fraction to another.
    [[nodiscard]] std::vector<ScoredCache> evaluate(const std::string& stage, double from,
                                                    double to,
                                                    const std::vector<StructureClass>& classes,
                                                    const std::vector<EvaluationTask>& tasks,
                                                    const Panel& panel);
    /// Walks whose misses depend most on the size of the cache, with so many reads together;
    /// latencies play no part.
    [[nodiscard]] std::vector<std::size_t>
    choose_walks(const std::vector<StructureClass>& shapes) const;
    [[nodiscard]] Panel panel_of(const std::vector<std::size_t>& order, std::int64_t reads) const;
    /// Classes of other policies from the best LRU structures, with ways near the best ones.
    struct Policies {
        std::vector<StructureClass> classes;
        std::vector<EvaluationTask> tasks;
        Survivors allowed;
    };
    [[nodiscard]] Policies other_policies(const Outcome& outcome) const;
    void add_policies(Outcome& outcome, const Panel& panel, const Panel& everything);

    const MeasuredWalks& measured_;
    const IdentifyOptions& options_;
    const Progress& progress_;
    Folds folds_;
    StructureFinder finder_;
    CacheEvaluator evaluator_;
};

} // namespace texelscope::model
