// The search by what may be best, on made-up times whose law is known.

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/random.hpp"
#include "workbench/tuning/bayesian_search.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace texelscope::test {
using namespace workbench::tuning;

namespace {

/// Candidates over two features. Each is expected to take 100 ns times e to the first feature; in
/// truth it is the other way round, and the second counts three times as much.
struct MadeUp {
    std::vector<SearchCandidate> candidates;
    std::vector<double> truth;

    explicit MadeUp(std::uint64_t seed)
    {
        std::mt19937_64 random(seed);
        for (std::int64_t i = 0; i < 300; ++i) {
            const Eigen::Vector2d features{uniform_real(random), uniform_real(random)};
            candidates.push_back({i, Nanoseconds{100 * std::exp(features[0])}, features});
            truth.push_back(100 * std::exp(-features[0] - 3 * features[1]));
        }
    }
    [[nodiscard]] TimeOf time_of() const
    {
        return [this](std::int64_t index) {
            return std::optional(Nanoseconds{truth[static_cast<std::size_t>(index)]});
        };
    }
    /// Least time of the first trials over the least of all.
    [[nodiscard]] double regret(const SearchResult& result, std::size_t runs) const
    {
        double best = INFINITY;
        for (std::size_t i = 0; i < std::min(runs, result.trials.size()); ++i) {
            best = std::min(best, result.trials[i].time->value);
        }
        return best / std::ranges::min(truth);
    }
};

/// The default's length is for forty features; two need a longer one.
const BayesianOptions of_two_features{.process = {.length = 1}};

} // namespace

TEST_CASE("Bayesian search learns from trials what the expected times do not tell")
{
    const MadeUp made(GENERATE(1U, 2U, 3U, 4U));
    const std::int64_t size = std::ssize(made.candidates);
    const BayesianResult found =
        bayesian_search(made.candidates, size, made.time_of(), {20, {}}, of_two_features);
    // In the order of the expected times the same runs are far from the best.
    std::vector<std::int64_t> order(made.candidates.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::int64_t i) {
        return made.candidates[static_cast<std::size_t>(i)].expected;
    });
    const SearchResult listed = listed_search(order, size, made.time_of(), {20, {}});
    CHECK(found.search.trials.front().index == order.front());
    CHECK(made.regret(found.search, 20) < 1.02);
    CHECK(made.regret(listed, 20) > 1.1);
    std::set<std::int64_t> indices;
    for (const Trial& trial : found.search.trials) {
        CHECK(indices.insert(trial.index).second);
    }
    CHECK(bayesian_search(made.candidates, size, made.time_of(), {20, {}}, of_two_features)
              .search.trials == found.search.trials);
}

TEST_CASE(
    "Bayesian search ends where nothing is left that is likely to gain, and says how sure it is")
{
    const MadeUp made(9);
    const std::int64_t size = std::ssize(made.candidates);
    const BayesianResult sure = bayesian_search(made.candidates, size, made.time_of(), {});
    CHECK(sure.search.trials.size() >= 16);
    CHECK(sure.search.trials.size() < 100);
    CHECK(sure.chance_left < 0.05);
    CHECK(made.regret(sure.search, 1000) < 1.01);
    // With too few runs it is not sure.
    CHECK(bayesian_search(made.candidates, size, made.time_of(), {3, {}}).chance_left > 0.05);
    // With none left it is.
    const std::vector<SearchCandidate> few(made.candidates.begin(), made.candidates.begin() + 5);
    const BayesianResult all = bayesian_search(few, size, made.time_of(), {});
    CHECK(all.search.trials.size() == 5);
    CHECK(all.chance_left == 0);
    CHECK(bayesian_search({}, 0, made.time_of(), {}).search.trials.empty());
}

TEST_CASE("Bayesian search goes around what cannot run")
{
    const MadeUp made(11);
    const std::int64_t size = std::ssize(made.candidates);
    // What is expected to be best cannot run: about one in eight.
    const auto runs = [&](std::int64_t index) {
        return made.candidates[static_cast<std::size_t>(index)].features[0] > 0.125;
    };
    const TimeOf time_of = [&](std::int64_t index) {
        return runs(index) ? made.time_of()(index) : std::nullopt;
    };
    const BayesianResult found = bayesian_search(made.candidates, size, time_of, {40, {}});
    double best = INFINITY;
    for (std::int64_t i = 0; i < size; ++i) {
        best = runs(i) ? std::min(best, made.truth[static_cast<std::size_t>(i)]) : best;
    }
    REQUIRE(found.search.best);
    CHECK(found.search.best->time->value < 1.05 * best);
    CHECK(std::ranges::count_if(found.search.trials,
                                [](const Trial& trial) { return !trial.time; }) < 25);
}

TEST_CASE("Bayesian search learns from batches, and tells what it will try after them")
{
    const MadeUp made(5);
    const std::int64_t size = std::ssize(made.candidates);
    std::vector<std::vector<std::int64_t>> batches, told;
    TimesOf times = made.time_of();
    times.ahead = [&](std::span<const std::int64_t> next) {
        told.emplace_back(next.begin(), next.end());
    };
    times.together = [&](std::span<const std::int64_t> batch) {
        batches.emplace_back(batch.begin(), batch.end());
        return mapped(batch, made.time_of());
    };
    const BayesianResult found = bayesian_search(made.candidates, size, times, {36, {}});
    REQUIRE(batches.size() == 5);
    REQUIRE(told.size() == 5);
    CHECK(batches.back().size() == 4); // the budget's end
    for (std::size_t i = 0; i < batches.size(); ++i) {
        CHECK((i == 4 || batches[i].size() == search_batch));
        CHECK(std::equal(batches[i].begin(), batches[i].end(), told[i].begin()));
    }
    CHECK(made.regret(found.search, 36) < 1.03);
    // One at a time it learns from each; what it tells ahead is a guess, but begins with the next.
    told.clear();
    times.together = {};
    const BayesianResult single = bayesian_search(made.candidates, size, times, {36, {}});
    REQUIRE(told.size() == 36);
    int foretold = 0;
    for (std::size_t i = 0; i < told.size(); ++i) {
        CHECK(single.search.trials[i].index == told[i].front());
        foretold += i > 0 && std::ranges::find(told[i - 1], told[i].front()) != told[i - 1].end();
    }
    CHECK(foretold > 20);
    CHECK(made.regret(single.search, 36) < 1.01);
    CHECK(bayesian_search(made.candidates, size, made.time_of(), {36, {}}).search.trials ==
          single.search.trials);
}

TEST_CASE("Bayesian search refuses candidates that are none")
{
    const MadeUp made(1);
    const auto refused = [&](SearchCandidate broken) {
        std::vector<SearchCandidate> candidates(made.candidates.begin(),
                                                made.candidates.begin() + 3);
        candidates.push_back(std::move(broken));
        CHECK_THROWS_AS(bayesian_search(candidates, 300, made.time_of(), {}), Error);
    };
    refused({2, Nanoseconds{1}, Eigen::VectorXd::Zero(2)});
    refused({300, Nanoseconds{1}, Eigen::VectorXd::Zero(2)});
    refused({9, Nanoseconds{0}, Eigen::VectorXd::Zero(2)});
    refused({9, Nanoseconds{1}, Eigen::VectorXd::Zero(3)});
}

} // namespace texelscope::test
