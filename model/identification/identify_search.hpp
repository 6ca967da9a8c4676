#pragma once

#include "model/identification/identify.hpp"
#include "model/identification/identify_evaluate.hpp"
#include "model/identification/identify_panel.hpp"
#include "model/identification/identify_structures.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::model {

/// The search of identify(), stage by stage.
class IdentifySearch {
public:
    /// All arguments must outlive this.
    IdentifySearch(const MeasuredWalks& measured, const IdentifyOptions& options, const Progress& progress,
                   const StopToken& stop);

    /// Everything that was scored on all walks at the end, and what each training set may choose from.
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
    [[nodiscard]] std::vector<ScoredCache> evaluate(const std::string& stage, double from, double to,
                                                    const std::vector<StructureClass>& classes,
                                                    const std::vector<EvaluationTask>& tasks, const Panel& panel);
    /// Walks whose misses depend most on the size of the cache, with so many reads together; latencies play no part.
    [[nodiscard]] std::vector<std::size_t> choose_walks(const std::vector<StructureClass>& shapes) const;
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
