// The search by what may be best, on made-up times whose law is known, and on the simulator.

#include "base/error.hpp"
#include "base/random.hpp"
#include "tests/base/temporary_folder.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/tuning/bayesian_search.hpp"
#include "workbench/tuning/bottleneck_price.hpp"
#include "workbench/tuning/kernel_features.hpp"
#include "workbench/tuning/operator_timer.hpp"
#include "workbench/tuning/priced_parts.hpp"
#include "workbench/tuning/stored_correction.hpp"
#include "workbench/tuning/strategy.hpp"

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

} // namespace

TEST_CASE("Bayesian search learns from trials what the expected times do not tell")
{
    const MadeUp made(GENERATE(1U, 2U, 3U, 4U));
    const std::int64_t size = std::ssize(made.candidates);
    const BayesianResult found = bayesian_search(made.candidates, size, made.time_of(), {20, {}});
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
    CHECK(bayesian_search(made.candidates, size, made.time_of(), {20, {}}).search.trials ==
          found.search.trials);
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

TEST_CASE("The strategy begins with the model's first, and other shapes change where")
{
    const DeviceProfile device = find_profile("adreno-640");
    const Operator op = parse_operator("matmul", "40,64,20");
    const Strategy& strategy = parse_strategy("bayesian");
    const ConfigurationSpace space = strategy.space(op, device);
    const TimeOf time_of = times_in(simulator_timer(device, 2000, ""), op, space);
    const StrategyResult plain = run_strategy(strategy, {op, device, space, time_of, {12, {}}, 3});
    REQUIRE(plain.search.trials.size() == 12);
    CHECK(plain.search.trials.front().index == plain.model.best.front().index);
    CHECK(plain.chance_left);
    CHECK(run_strategy(strategy, {op, device, space, time_of, {12, {}}, 3}).search.trials ==
          plain.search.trials);

    // On this device, kernels of other shapes take long where they write two outputs or more along
    // x.
    const TemporaryFolder folder;
    ResultStore store(folder.file("s.sqlite"));
    const ResultKey like = simulator_timer(device, 2000, "").key;
    std::mt19937_64 random(5);
    std::int64_t put = 0;
    for (const char* shape : {"64,64,64", "48,80,32", "40,64,20"}) {
        const Operator other = parse_operator("matmul", shape);
        const ConfigurationSpace of_other =
            configuration_space(other, device, {.parts = priced_parts(other, device)});
        for (int i = 0; i < 120; ++i) {
            const Schedule schedule = of_other.at(static_cast<std::int64_t>(
                uniform_below(random, static_cast<std::uint64_t>(of_other.size()))));
            const auto predicted = bottleneck_price(other, device, schedule);
            if (!predicted) {
                continue;
            }
            StoredResult row = row_of(like, other, schedule);
            row.key.kernel = std::to_string(put++);
            // What was measured of the shape itself says nothing: it is not among the others.
            row.samples_ns = {predicted->value * (to_string(other) == to_string(op) ? 50
                                                  : schedule.tile[0] > 1            ? 8
                                                                                    : 1)};
            store.put(row);
        }
    }
    const auto others = stored_correction(store, like, op, device);
    REQUIRE(others);
    const auto factor = [&](const char* config) {
        const Schedule schedule = parse_schedule(config);
        const Nanoseconds predicted = bottleneck_price(op, device, schedule).value();
        return others->factor(
            kernel_features(schedule, bottleneck_kernel(op, schedule, device), predicted));
    };
    CHECK(factor("A=row,column;T=4x4;W=4x4;G=8x8x1") >
          4 * factor("A=row,column;T=1x4;W=4x4;G=8x8x1"));
    const StrategyResult warned =
        run_strategy(strategy, {op, device, space, time_of, {1, {}}, 3, {}, {}, {}, &*others});
    CHECK(space.at(warned.search.trials.front().index).tile[0] == 1);
    ResultKey elsewhere = like;
    elsewhere.device = "another";
    CHECK_FALSE(stored_correction(store, elsewhere, op, device));
}

} // namespace texelscope::test
