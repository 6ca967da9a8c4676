#include "base/error.hpp"
#include "workbench/tuning/screening.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>

using namespace texelscope::workbench::tuning;

namespace {

std::vector<std::int64_t> first(std::int64_t count)
{
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    std::iota(indices.begin(), indices.end(), std::int64_t{0});
    return indices;
}

/// Element 11 of 30 is the fastest, 4 cannot run.
std::optional<Nanoseconds> exact(std::int64_t index)
{
    if (index == 4) {
        return std::nullopt;
    }
    return Nanoseconds{100 + std::abs(static_cast<double>(index) - 11)};
}

/// Wrong by so little that the fastest is among the first four.
std::optional<Nanoseconds> roughly(std::int64_t index)
{
    const auto time = exact(index);
    return time ? std::optional(Nanoseconds{time->value + (index % 2 == 0 ? -1 : 1)}) : time;
}

} // namespace

TEST_CASE("A quick judge screens, and the search's own judges the fastest until they are settled")
{
    std::atomic<int> asked = 0;
    const TimeOf time_of = [&](std::int64_t index) {
        ++asked;
        return exact(index);
    };
    std::vector<std::size_t> known;
    const SearchResult found =
        screened_search(first(30), 30, time_of, roughly, {}, {}, {},
                        [&](const SearchResult& now) { known.push_back(now.trials.size()); });
    REQUIRE(found.trials.size() == 30);
    CHECK(found.best == Trial{11, Nanoseconds{100}});
    CHECK(asked <= static_cast<int>(screened_finalists));
    CHECK(asked >= 4);
    CHECK(std::ranges::count_if(found.trials, [](const Trial& t) { return !t.rough; }) == asked);
    for (std::size_t i = 0; i < found.trials.size(); ++i) {
        const Trial& trial = found.trials[i];
        CHECK(trial.index == static_cast<std::int64_t>(i));
        CHECK(trial.time == (trial.rough ? roughly(trial.index) : exact(trial.index)));
    }
    CHECK(known.size() >= 2);

    // A list that is no longer than the finalists is for the search's own judge.
    const SearchResult few = screened_search(first(8), 8, time_of, roughly);
    CHECK(std::ranges::none_of(few.trials, &Trial::rough));
    CHECK(screened_search(first(30), 30, time_of, roughly, {.runs = 5}).trials.size() == 5);
    // What a budget leaves out is not judged by either.
    CHECK(screened_search(first(30), 30, time_of, roughly, {.runs = 20}).trials.size() == 20);
    CHECK(screened_search(first(30), 30, time_of, roughly, {.seconds = 0}).trials.empty());
    CHECK_THROWS_AS(screened_search(first(30), 29, time_of, roughly), Error);
}

TEST_CASE("Trials do not depend on the threads")
{
    for (const int threads : {2, 3, 8}) {
        const SearchBudget several{.threads = threads};
        CHECK(screened_search(first(30), 30, exact, roughly, several).trials ==
              screened_search(first(30), 30, exact, roughly).trials);
        CHECK(exhaustive_search(700, exact, several).trials ==
              exhaustive_search(700, exact).trials);
        const SearchBudget some{.runs = 300, .threads = threads};
        CHECK(random_search(700, exact, some, 5).trials ==
              random_search(700, exact, {.runs = 300}, 5).trials);
    }
}

TEST_CASE("A screened search that is stopped keeps what is done")
{
    std::atomic<int> asked = 0;
    const StopToken after = [&] { return asked >= 12; };
    const TimeOf counted = [&](std::int64_t index) {
        ++asked;
        return roughly(index);
    };
    const SearchResult early = screened_search(first(30), 30, exact, counted, {}, {}, after);
    CHECK(early.interrupted);
    CHECK(early.trials.size() == 12);
    CHECK(early.best);
    CHECK(std::ranges::all_of(early.trials, &Trial::rough));

    const TimeOf gives_up = [](std::int64_t) -> std::optional<Nanoseconds> { throw Interrupted{}; };
    for (const int threads : {1, 4}) {
        const SearchResult late =
            screened_search(first(30), 30, gives_up, roughly, {.threads = threads});
        CHECK(late.interrupted);
        CHECK(late.trials.size() == 30);
        CHECK(late.best->rough);
    }
}
