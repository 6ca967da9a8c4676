#include "base/error.hpp"
#include "base/random.hpp"
#include "experiments/search/search_replay.hpp"
#include "experiments/search/searches.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace texelscope;
using namespace texelscope::experiments;

namespace {

/// Random kernels of a matrix product with random times; every fifth cannot run.
std::vector<StoredResult> random_kernels(std::uint64_t seed, std::size_t count)
{
    const Operator op = parse_operator("matmul", "64,64,64");
    std::vector<std::string> configs;
    for (const char* patterns : {"row,row", "row,column", "column,row", "block2,block4"}) {
        for (const char* tile : {"1x1", "2x4", "4x4", "8x4"}) {
            for (const char* group :
                 {"W=8x8;G=8x8x1", "W=16x4;G=16x4x1", "W=8x8;G=16x16x1", "W=64x1;G=64x1x1"}) {
                configs.push_back(fmt::format("A={};T={};{}", patterns, tile, group));
            }
        }
    }
    std::mt19937_64 random(seed);
    std::vector<StoredResult> rows;
    const std::vector<std::size_t> order = shuffled_indices(random, configs.size());
    for (std::size_t i = 0; i < count; ++i) {
        StoredResult row = row_of({}, op, parse_schedule(configs[order[i]]));
        row.status = i % 5 == 4 ? RunStatus::failed : RunStatus::ok;
        row.samples_ns = {1000 * std::exp(uniform_real(random))};
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace

TEST_CASE("A space of measured kernels has their times, and those that could not run have none")
{
    const std::vector<StoredResult> rows = random_kernels(1, 60);
    const std::vector<MeasuredSpace> spaces = measured_spaces(rows);
    REQUIRE(spaces.size() == 1);
    const MeasuredSpace& space = spaces[0];
    REQUIRE(space.schedules.size() == 60);
    double best = 1e9;
    for (std::size_t i = 0; i < 60; ++i) {
        const std::string config = to_string(space.schedules[i]);
        const auto row = std::ranges::find(rows, config, &StoredResult::config);
        REQUIRE(row != rows.end());
        const auto& time = space.times[i];
        REQUIRE(time.has_value() == (row->status == RunStatus::ok));
        if (time) {
            CHECK(time->value == row->median_ns());
            best = std::min(best, time->value);
        }
    }
    CHECK(space.best.value == best);
    std::vector<StoredResult> failed = rows;
    for (StoredResult& row : failed) {
        row.status = RunStatus::failed;
    }
    CHECK_THROWS_AS(measured_spaces(failed), Error);
}

TEST_CASE("Random searches find on measured kernels what draws without repetition would")
{
    constexpr std::int64_t count = 40;
    constexpr int seeds = 4000;
    const MeasuredSpace space = measured_spaces(random_kernels(2, count))[0];
    const DeviceProfile device = find_profile("adreno-740");
    std::vector<double> sums(count);
    for (int seed = 0; seed < seeds; ++seed) {
        const FoundAfter found =
            replayed("random", space, device, count, static_cast<std::uint64_t>(seed));
        REQUIRE(found.size() == count);
        CHECK(found.back() == 1);
        for (std::size_t n = 0; n < found.size(); ++n) {
            sums[n] += found[n] / seeds;
        }
    }
    // Of n draws out of N, the i-th best of all is the best with the probability
    // C(N-i, n-1) / C(N, n); what cannot run counts as the worst.
    std::vector<double> sorted;
    for (const auto& time : space.times) {
        sorted.push_back(time.value_or(space.worst).value / space.best.value);
    }
    std::ranges::sort(sorted);
    for (const std::int64_t n : {1, 3, 10, 30}) {
        double expected = 0;
        for (std::int64_t i = 1; i <= count - n + 1; ++i) {
            const auto choose = [](std::int64_t of, std::int64_t some) {
                return std::exp(std::lgamma(static_cast<double>(of + 1)) -
                                std::lgamma(static_cast<double>(some + 1)) -
                                std::lgamma(static_cast<double>(of - some + 1)));
            };
            expected += sorted[static_cast<std::size_t>(i - 1)] * choose(count - i, n - 1) /
                        choose(count, n);
        }
        CAPTURE(n);
        CHECK(sums[static_cast<std::size_t>(n - 1)] == Approx(expected).epsilon(0.02));
    }
}

TEST_CASE("Runs to within a share of the best are counted from the first on")
{
    const FoundAfter found{2.0, 1.2, 1.2, 1.04, 1.0};
    CHECK(runs_within(found, 1.0) == 1);
    CHECK(runs_within(found, 0.2) == 2);
    CHECK(runs_within(found, 0.05) == 4);
    CHECK(runs_within(found, 0) == 5);
    CHECK_FALSE(runs_within({1.5, 1.3}, 0.1).has_value());

    SearchOnShape slow, fast, none;
    slow.found.fill(4);
    slow.within[1] = 2;
    fast.found.fill(1);
    fast.within[1] = 1;
    none.found.fill(2);
    none.found.back() = 1.5;
    SearchCurve curve{"made up", 1, {slow, fast, none}};
    CHECK(curve.mean(1) == Approx(2)); // the cube root of 4 * 1 * 2
    CHECK(curve.mean(192) == Approx(std::cbrt(6.0)));
    CHECK(curve.worst(8) == 4);
    CHECK(curve.runs_to(1) == 2.0);
    curve.shapes[0].within[1].reset();
    CHECK_FALSE(curve.runs_to(1).has_value());
}

TEST_CASE("A search that orders by the model tries measured kernels in the model's order")
{
    const MeasuredSpace space = measured_spaces(random_kernels(3, 30))[0];
    const DeviceProfile device = find_profile("adreno-740");
    const FoundAfter all = replayed("shortlist", space, device, 30, 1);
    CHECK(all.back() == 1);
    const FoundAfter few = replayed("shortlist", space, device, 7, 1);
    CHECK(few == FoundAfter(all.begin(), all.begin() + 7));
}
