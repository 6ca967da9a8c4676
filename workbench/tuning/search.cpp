#include "workbench/tuning/search.hpp"

#include "base/error.hpp"
#include "workbench/tuning/trial_log.hpp"

#include <fmt/format.h>

#include <set>

namespace texelscope::workbench::tuning {
namespace {

/// Runs what `next` gives, until it gives nothing or the search is over. A space may be too large
/// to be listed, so that this goes by blocks.
void run_all(TrialLog& log, const std::function<std::optional<std::int64_t>()>& next)
{
    constexpr std::size_t block = 256;
    std::vector<std::int64_t> indices;
    do {
        indices.clear();
        for (auto index = next(); index; index = next()) {
            indices.push_back(*index);
            if (indices.size() == block) {
                break;
            }
        }
    } while (log.run(indices) && indices.size() == block);
}

} // namespace

SearchResult listed_search(std::span<const std::int64_t> indices, std::int64_t size,
                           const TimesOf& times_of, const SearchBudget& budget,
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
    TrialLog log(size, times_of, of_list, progress, stop);
    log.run(indices);
    return std::move(log).result();
}

SearchResult exhaustive_search(std::int64_t size, const TimesOf& times_of,
                               const SearchBudget& budget, const Progress& progress,
                               const StopToken& stop)
{
    TrialLog log(size, times_of, budget, progress, stop);
    std::int64_t next = 0;
    run_all(log, [&] { return next < size ? std::optional(next++) : std::nullopt; });
    return std::move(log).result();
}

SearchResult random_search(std::int64_t size, const TimesOf& times_of, const SearchBudget& budget,
                           std::uint64_t seed, const Progress& progress, const StopToken& stop)
{
    TrialLog log(size, times_of, budget, progress, stop);
    std::mt19937_64 random(seed);
    DistinctDraws draws(size);
    run_all(log, [&] { return draws.next(random); });
    return std::move(log).result();
}

} // namespace texelscope::workbench::tuning
