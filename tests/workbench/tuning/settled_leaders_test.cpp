#include "base/averages.hpp"
#include "base/random.hpp"
#include "workbench/tuning/settled_leaders.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>

using namespace texelscope;
using namespace texelscope::workbench::tuning;

namespace {

/// A device whose times differ from run to run.
struct Noisy {
    std::vector<double> ns; ///< true times
    double noise = 0;
    std::mt19937_64 random{1};
    std::map<std::int64_t, int> runs = {};

    std::optional<Nanoseconds> operator()(std::int64_t index)
    {
        ++runs[index];
        return Nanoseconds{ns[static_cast<std::size_t>(index)] *
                           std::exp(noise * standard_normal(random))};
    }
};

SearchResult searched(Noisy& device)
{
    return exhaustive_search(std::ssize(device.ns), std::ref(device));
}

} // namespace

TEST_CASE("Repeats find the fastest of leaders that noise has put in another order")
{
    int right_before = 0;
    int right_after = 0;
    std::vector<double> noises;
    constexpr std::uint64_t seeds = 200;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        Noisy device{{100, 102, 104, 106, 130, 150, 200}, 0.02, std::mt19937_64(seed)};
        const SearchResult search = searched(device);
        const SettledLeaders settled = settled_leaders(search, std::ref(device));
        right_before += search.best->index == 0;
        const SearchResult after = with_leaders(search, settled);
        right_after += after.best->index == 0;
        if (settled.repeats > 0) {
            noises.push_back(settled.noise);
        }
        // Repeats are spent on what is near the best.
        CHECK(device.runs[5] == 1);
        CHECK(device.runs[6] == 1);
        CHECK(settled.repeats <= 4 * 8);
        CHECK(after.trials.size() == search.trials.size());
    }
    CHECK(right_before < 150);
    CHECK(right_after > 170);
    CHECK(noises.size() > seeds * 4 / 5);
    CHECK(median(noises) == Approx(0.02).epsilon(0.1));
}

TEST_CASE("A time from repeats has not the luck of the one that made a leader")
{
    double before = 0;
    double after = 0;
    constexpr std::uint64_t seeds = 300;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        Noisy device{std::vector<double>(40, 100.0), 0.03, std::mt19937_64(seed)};
        const SearchResult search = searched(device);
        before += std::log(search.best->time->value / 100) / seeds;
        const SettledLeaders settled = settled_leaders(search, std::ref(device));
        for (const auto& leader : settled.leaders) {
            after += std::log(leader.time().value / 100) / seeds /
                     static_cast<double>(settled.leaders.size());
        }
    }
    CHECK(before < -0.05); // the least of 40 is two deviations below
    CHECK(std::abs(after) < 0.004);
}

TEST_CASE("The best is one whose repeats are fastest, however lucky another was once")
{
    int challenged = 0;
    int right = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        // 0 is the fastest; of the many others some seem faster once.
        std::vector<double> ns(30, 103.0);
        ns[0] = 100;
        Noisy device{ns, 0.03, std::mt19937_64(seed)};
        const SearchResult search = searched(device);
        const SettledLeaders settled = settled_leaders(search, std::ref(device));
        challenged += settled.leaders.size() > 4;
        REQUIRE(!settled.leaders.empty());
        const SettledLeaders::Leader& first = settled.leaders.front();
        const SearchResult after = with_leaders(search, settled);
        CHECK(after.best->index == first.index);
        CHECK(after.best->time->value == first.time().value);
        right += first.index == 0;
        for (const Trial& trial : after.trials) {
            CHECK((trial.rough || trial.time->value >= first.time().value));
        }
    }
    CHECK(challenged > 50);
    CHECK(right > 50);
}

TEST_CASE("A device without noise is asked three times for each leader")
{
    Noisy device{{100, 101, 103, 200}, 0};
    const SettledLeaders settled = settled_leaders(searched(device), std::ref(device));
    CHECK(settled.settled);
    CHECK(settled.repeats == 9);
    CHECK(settled.noise == Approx(0).margin(1e-12));
    REQUIRE(settled.leaders.size() == 3);
    CHECK(settled.leaders[0].index == 0);
    CHECK(settled.leaders[0].time().value == Approx(100));

    // One that is far ahead may be so by luck: it and the next are repeated.
    Noisy ahead{{100, 120, 130}, 0};
    const SettledLeaders two = settled_leaders(searched(ahead), std::ref(ahead));
    CHECK(two.settled);
    CHECK(two.repeats == 6);
    Noisy lucky{{200, 120, 130, 119}, 0};
    SearchResult search = searched(lucky);
    search.trials[0].time = search.best->time = Nanoseconds{60};
    search.best->index = 0;
    CHECK(with_leaders(search, settled_leaders(search, std::ref(lucky))).best->index == 3);
    Noisy only{{100}, 0};
    const SettledLeaders one = settled_leaders(searched(only), std::ref(only));
    CHECK(one.settled);
    CHECK(one.repeats == 3);
}

TEST_CASE("A leader that does not run again is none, and repeats end when told")
{
    Noisy device{{100, 101, 102}, 0};
    const SearchResult search = searched(device);
    const SettledLeaders settled =
        settled_leaders(search, [&](std::int64_t index) -> std::optional<Nanoseconds> {
            return index == 0 ? std::nullopt : device(index);
        });
    REQUIRE(settled.leaders.size() == 2);
    CHECK(settled.leaders[0].index == 1);

    std::int64_t left = 8;
    const SettledLeaders cut =
        settled_leaders(search, std::ref(device), {}, [&](std::int64_t runs) {
            left -= runs;
            return left >= 0;
        });
    CHECK(cut.repeats == 6); // of three, two rounds
    CHECK_FALSE(cut.settled);
    const SettledLeaders interrupted =
        settled_leaders(search, std::ref(device), {}, {}, [] { return true; });
    CHECK(interrupted.repeats == 0);
    CHECK(with_leaders(search, interrupted).best->time->value == 100);
}
