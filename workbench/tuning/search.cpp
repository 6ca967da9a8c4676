#include "workbench/tuning/search.hpp"

#include "base/error.hpp"
#include "workbench/tuning/trial_log.hpp"

#include <fmt/format.h>

#include <set>

namespace texelscope::workbench::tuning {

SearchResult listed_search(std::span<const std::int64_t> indices, std::int64_t size,
                           const TimeOf& time_of, const SearchBudget& budget,
                           const Progress& progress, const StopToken& stop)
{
    std::set<std::int64_t> seen;
    for (const std::int64_t index : indices) {
        if (index < 0 || index >= size || !seen.insert(index).second) {
            throw bad_input(fmt::format("element {} is outside of the space of {}, or comes twice",
                                        index, size),
                            "list of a search");
        }
    }
    SearchBudget of_list = budget;
    of_list.runs = std::min(budget.runs, std::ssize(indices));
    TrialLog log(size, time_of, of_list, progress, stop);
    for (const std::int64_t index : indices) {
        if (!log.run(index)) {
            break;
        }
    }
    return std::move(log).result();
}

SearchResult exhaustive_search(std::int64_t size, const TimeOf& time_of, const SearchBudget& budget,
                               const Progress& progress, const StopToken& stop)
{
    TrialLog log(size, time_of, budget, progress, stop);
    for (std::int64_t index = 0; index < size && log.run(index); ++index) {
    }
    return std::move(log).result();
}

SearchResult random_search(std::int64_t size, const TimeOf& time_of, const SearchBudget& budget,
                           std::uint64_t seed, const Progress& progress, const StopToken& stop)
{
    TrialLog log(size, time_of, budget, progress, stop);
    std::mt19937_64 random(seed);
    DistinctDraws draws(size);
    for (auto index = draws.next(random); index && log.run(*index); index = draws.next(random)) {
    }
    return std::move(log).result();
}

} // namespace texelscope::workbench::tuning
