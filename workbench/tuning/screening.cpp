#include "workbench/tuning/screening.hpp"

#include "base/lists.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <vector>

namespace texelscope::workbench::tuning {
namespace {

/// The fastest of the trials that could run, fastest first.
std::vector<std::int64_t> finalists(const SearchResult& screened)
{
    std::vector<Trial> ran;
    std::ranges::copy_if(screened.trials, std::back_inserter(ran),
                         [](const Trial& trial) { return trial.time.has_value(); });
    std::ranges::stable_sort(ran, {}, [](const Trial& trial) { return trial.time->value; });
    ran.resize(std::min(ran.size(), screened_finalists));
    return mapped(ran, &Trial::index);
}

/// What is left of a budget's seconds.
SearchBudget rest_of(SearchBudget budget, std::chrono::steady_clock::time_point start)
{
    if (budget.seconds) {
        *budget.seconds -=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return budget;
}

} // namespace

SearchResult screened_search(std::span<const std::int64_t> indices, std::int64_t size,
                             const TimesOf& times_of, const TimesOf& quick,
                             const SearchBudget& budget, const Progress& progress,
                             const StopToken& stop,
                             const std::function<void(const SearchResult&)>& so_far)
{
    constexpr std::size_t at_once = 2;
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t runs = std::min<std::int64_t>(std::ssize(indices), budget.runs);
    if (runs <= static_cast<std::int64_t>(screened_finalists)) {
        return listed_search(indices, size, times_of, budget, progress, stop);
    }
    SearchResult all =
        listed_search(indices, size, quick, budget, part_progress(progress, 0, 2), stop);
    for (Trial& trial : all.trials) {
        trial.rough = true;
    }
    if (all.best) {
        all.best->rough = true;
    }
    const std::vector<std::int64_t> fastest = finalists(all);
    bool goes_on = !all.interrupted && std::ssize(all.trials) == runs;
    for (std::size_t first = 0; goes_on && first < fastest.size(); first += at_once) {
        if (so_far) {
            so_far(all);
        }
        const std::span pair =
            std::span(fastest).subspan(first, std::min(at_once, fastest.size() - first));
        const SearchResult judged = listed_search(
            pair, size, times_of, rest_of(budget, start),
            part_progress(progress, screened_finalists + first, 2 * screened_finalists), stop);
        for (const Trial& trial : judged.trials) {
            *std::ranges::find(all.trials, trial.index, &Trial::index) = trial;
        }
        const bool gain =
            judged.best && (!all.best || all.best->rough || *judged.best->time < *all.best->time);
        all.best = gain ? judged.best : all.best;
        all.interrupted = judged.interrupted;
        goes_on = judged.trials.size() == pair.size() && (gain || !all.best || all.best->rough);
    }
    return all;
}

} // namespace texelscope::workbench::tuning
