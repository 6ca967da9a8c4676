#include "workbench/tuning/judged_trials.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace texelscope::workbench::tuning {

std::vector<JudgedTrial> by_time(const StrategyResult& result, const ConfigurationSpace& space)
{
    std::map<std::int64_t, const RankedConfiguration*> predicted;
    for (const RankedConfiguration& ranked : result.model.best) {
        predicted[ranked.index] = &ranked;
    }
    std::vector<JudgedTrial> sorted;
    for (const Trial& trial : result.search.trials) {
        if (trial.time) {
            const auto known = predicted.find(trial.index);
            sorted.push_back({trial.index, *trial.time, trial.rough, 1,
                              known == predicted.end() ? nullptr : known->second});
        }
    }
    std::ranges::stable_sort(sorted, {}, [](const JudgedTrial& trial) {
        return std::pair(trial.rough, trial.time.value);
    });
    // Trials whose times the judge cannot tell apart are marked as alike, and ordered by their text
    // where no model orders them, so that the order does not depend on the search.
    for (auto first = sorted.begin(); first != sorted.end();) {
        const auto last = std::find_if(first, sorted.end(), [&](const JudgedTrial& trial) {
            return trial.rough != first->rough || !same_time(trial.time.value, first->time.value);
        });
        std::for_each(first, last, [&](JudgedTrial& trial) { trial.alike = last - first; });
        if (result.model.best.empty()) {
            std::stable_sort(first, last, [&](const JudgedTrial& a, const JudgedTrial& b) {
                return to_string(space.at(a.index)) < to_string(space.at(b.index));
            });
        }
        first = last;
    }
    return sorted;
}

} // namespace texelscope::workbench::tuning
