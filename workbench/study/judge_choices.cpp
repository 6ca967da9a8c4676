#include "workbench/study/judge_choices.hpp"

#include "base/progress.hpp"
#include "workbench/study/prediction.hpp"

#include <algorithm>
#include <set>
#include <span>

namespace texelscope::workbench::study {
namespace {

/// The time of `row` over the least time of all rows, minus 1, both by `truth`, which must have a
/// right time of `row`.
double over_best(std::span<const CrosscheckRow> rows, std::size_t row, Judge truth)
{
    const std::size_t best = order_by(rows, truth).front();
    return rows[row].right_time(truth)->value / rows[best].right_time(truth)->value - 1;
}

} // namespace

const JudgeChoice* JudgeChoices::of(Judge judge) const
{
    const auto found = std::ranges::find(by_judge, judge, &JudgeChoice::judge);
    return found == by_judge.end() ? nullptr : &*found;
}

JudgeChoices judge_choices(const Operator& op, const DeviceProfile& device,
                           const Calibration& model, const CrosscheckResult& crosscheck,
                           const std::optional<Schedule>& in_use, const Progress& progress,
                           const StopToken& stop)
{
    const std::span<const CrosscheckRow> rows = crosscheck.rows;
    JudgeChoices choices;
    std::set<std::size_t> named;
    const bool ran = !order_by(rows, Judge::device).empty();
    for (const Judge judge : all_judges) {
        const std::vector<std::size_t> order = order_by(rows, judge);
        if (order.empty()) {
            continue;
        }
        JudgeChoice choice;
        choice.judge = judge;
        choice.row = order.front();
        const double near = rows[choice.row].right_time(judge)->value * JudgeChoice::near;
        choice.alike = static_cast<std::size_t>(std::ranges::count_if(
            order, [&](std::size_t row) { return rows[row].right_time(judge)->value <= near; }));
        if (order.size() > 1) {
            choice.second = order[1];
            named.insert(order[1]);
        }
        const Judge truth = ran ? Judge::device : Judge::simulator;
        if (rows[choice.row].right_time(truth)) {
            choice.over_best = over_best(rows, choice.row, truth);
        }
        named.insert(choice.row);
        choices.by_judge.push_back(choice);
    }
    if (in_use) {
        const auto own = std::ranges::find(rows, *in_use, &CrosscheckRow::schedule);
        if (own != rows.end()) {
            choices.in_use = static_cast<std::size_t>(own - rows.begin());
            named.insert(*choices.in_use);
        }
    }
    std::size_t done = 0;
    for (const std::size_t row : named) {
        tell(progress, "looking at what was chosen", done++, named.size());
        choices.facts.emplace(row, kernel_facts(op, rows[row].schedule, device, model, stop));
    }
    return choices;
}

std::string apart_text(const JudgeChoices& choices, std::size_t row, std::size_t from)
{
    return differences_text(differences(choices.facts.at(row), choices.facts.at(from)));
}

} // namespace texelscope::workbench::study
