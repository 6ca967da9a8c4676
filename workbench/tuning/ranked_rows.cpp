#include "workbench/tuning/ranked_rows.hpp"

#include "workbench/tuning/strategy.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace texelscope::workbench::tuning {
namespace {

/// A trial that could run, and what the model said of it.
struct JudgedTrial {
    std::int64_t index = 0;
    Nanoseconds time{0};
    bool rough = false;                   ///< Trial::rough
    std::int64_t alike = 1;               ///< trials that took as long, by the same judge
    const RankedConfiguration* predicted; ///< of the result; null where the model was not asked
};

/// The trials that could run, ascending by time, but rough ones behind the others; of those that
/// took as long as each other, first what the model put first, or without it by their texts.
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

} // namespace

std::vector<RankedRow> ranked_rows(const Ranking& ranking)
{
    std::vector<RankedRow> rows;
    for (const RankedConfiguration& each : ranking.best) {
        rows.push_back({to_string(each.schedule), each.cost, each.alike, {}});
    }
    return rows;
}

std::vector<RankedRow> ranked_rows(const StrategyResult& result, const ConfigurationSpace& space,
                                   std::size_t top)
{
    std::vector<RankedRow> rows;
    for (const JudgedTrial& trial : by_time(result, space)) {
        if (top != 0 && rows.size() == top) {
            break;
        }
        RankedRow& row = rows.emplace_back(
            RankedRow{to_string(space.at(trial.index)), trial.time, trial.alike, {}});
        row.rough = trial.rough;
        if (trial.predicted != nullptr) {
            row.predicted = trial.predicted->cost;
            row.predicted_alike = trial.predicted->alike;
        }
    }
    return rows;
}

} // namespace texelscope::workbench::tuning
