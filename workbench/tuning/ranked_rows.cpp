#include "workbench/tuning/ranked_rows.hpp"

namespace texelscope::workbench::tuning {

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
