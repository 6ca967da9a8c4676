#pragma once

#include "base/lists.hpp"
#include "base/progress.hpp"
#include "base/stop.hpp"
#include "base/units.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace texelscope::workbench::tuning {

/// How long element number `index` of a space takes; nothing where it cannot run. It may throw
/// Interrupted.
using TimeOf = std::function<std::optional<Nanoseconds>(std::int64_t index)>;

/// Who says how long elements take. TimeOf alone is enough.
struct TimesOf {
    template <std::convertible_to<TimeOf> Callable>
    TimesOf(Callable alone) : one(std::move(alone)) // NOLINT(google-explicit-constructor)
    {}

    TimeOf one;
    /// Several at once, each different, in order; for who answers them in little more time than
    /// one. Empty: one by one.
    std::function<std::vector<std::optional<Nanoseconds>>(std::span<const std::int64_t> indices)>
        together = {};
    /// Told what is asked next, in order, and what probably after that, so that it can be made
    /// ready meanwhile. Empty: nothing can.
    std::function<void(std::span<const std::int64_t> indices)> ahead = {};

    /// Of several, `together` where it is there.
    [[nodiscard]] std::vector<std::optional<Nanoseconds>>
    operator()(std::span<const std::int64_t> indices) const
    {
        return together ? together(indices) : mapped(indices, one);
    }
};

/// How many elements are asked together at most, and how many a search that goes by what came out
/// chooses at a time.
inline constexpr std::size_t search_batch = 8;

/// What a search may spend, whichever ends first.
struct SearchBudget {
    std::int64_t runs = std::numeric_limits<std::int64_t>::max(); ///< elements that are timed
    /// Wall clock, looked at before each run.
    std::optional<double> seconds = {};
    /// Runs at once, where what is run next does not hang on what came out; more than 1 for times
    /// that may be asked for by several threads.
    int threads = 1;
};

struct Trial {
    std::int64_t index = 0;
    std::optional<Nanoseconds> time; ///< nothing: it could not run
    /// By a quick judge alone (screened_search()), or by a run that repeats of others do not bear
    /// out (with_leaders()).
    bool rough = false;

    bool operator==(const Trial&) const = default;
};

struct SearchResult {
    std::vector<Trial> trials; ///< in order; each index at most once
    /// Least time, of equal ones the first tried; nothing where none could run.
    std::optional<Trial> best;
    bool interrupted = false; ///< stopped early: the trials are those that were done
};

// Searches ask for the time of each element at most once, and give the same trials for the same
// seed and answers, whatever the threads, as long as the budget has no seconds. When `stop` answers
// true, or that throws Interrupted, the trials that are done are kept. They throw what else it
// throws.

/// The elements of the list, in its order. Throws bad_input for a number outside of [0, size) or
/// one that comes twice.
[[nodiscard]] SearchResult listed_search(std::span<const std::int64_t> indices, std::int64_t size,
                                         const TimesOf& times_of, const SearchBudget& budget = {},
                                         const Progress& progress = {}, const StopToken& stop = {});

/// All elements of a space of that size, in order.
[[nodiscard]] SearchResult exhaustive_search(std::int64_t size, const TimesOf& times_of,
                                             const SearchBudget& budget = {},
                                             const Progress& progress = {},
                                             const StopToken& stop = {});

/// Elements drawn without repetition, each remaining one as likely as the next.
[[nodiscard]] SearchResult random_search(std::int64_t size, const TimesOf& times_of,
                                         const SearchBudget& budget, std::uint64_t seed,
                                         const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::workbench::tuning
