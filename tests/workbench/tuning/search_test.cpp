#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/scratch_folder.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/limits.hpp"
#include "workbench/space/knobs.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/crosscheck.hpp"
#include "workbench/tuning/baseline_rules.hpp"
#include "workbench/tuning/learned_search.hpp"
#include "workbench/tuning/operator_timer.hpp"
#include "workbench/tuning/search.hpp"
#include "workbench/tuning/trial_log.hpp"
#include "workbench/tuning/work_group_rules.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <set>

using namespace texelscope::workbench::tuning;

namespace {

/// Times of 0 .. size-1: a permutation of 1 .. size, but element 3 cannot run.
TimeOf permuted(std::int64_t size)
{
    return [size](std::int64_t index) -> std::optional<Nanoseconds> {
        if (index == 3) {
            return std::nullopt;
        }
        // sizes are no multiples of 7
        return Nanoseconds{static_cast<double>((index * 7 + 5) % size + 1)};
    };
}

void check_sound(const SearchResult& result, std::int64_t size, const TimeOf& time_of)
{
    std::set<std::int64_t> seen;
    std::optional<Trial> best;
    for (const Trial& trial : result.trials) {
        CHECK((trial.index >= 0 && trial.index < size));
        CHECK(seen.insert(trial.index).second);
        CHECK(trial.time == time_of(trial.index));
        if (trial.time && (!best || *trial.time < *best->time)) {
            best = trial;
        }
    }
    CHECK(result.best == best);
}

/// 4 patterns x 16 tiles x 24 groups, as a space alone: nothing has to be legal.
ConfigurationSpace synthetic_space()
{
    ConfigurationSpace space;
    std::vector<GroupChoice> groups;
    for (const std::int32_t x : {1, 2, 4, 8, 16, 32}) {
        for (const std::int32_t y : {4, 8, 16, 32}) {
            groups.push_back({{x, y}, {x, y, 1}});
        }
    }
    const std::size_t list = space.add_groups(groups);
    for (const AccessPattern a : {AccessPattern::row, AccessPattern::column}) {
        for (const AccessPattern b : {AccessPattern::row, AccessPattern::column}) {
            for (const std::int32_t tx : {1, 2, 4, 8}) {
                for (const std::int32_t ty : {1, 2, 4, 8}) {
                    space.add_kernel({{a, b}, {tx, ty}}, list);
                }
            }
        }
    }
    return space;
}

/// A bowl over the logarithms of the sides, in which tile and group depend on each other, times
/// what a wrong pattern costs; tiles of 64 outputs cannot run.
TimeOf bowl(const ConfigurationSpace& space)
{
    return [&space](std::int64_t index) -> std::optional<Nanoseconds> {
        const Schedule s = space.at(index);
        if (s.tile[0] * s.tile[1] == 64) {
            return std::nullopt;
        }
        const double tx = std::log2(s.tile[0]);
        const double ty = std::log2(s.tile[1]);
        const double gx = std::log2(s.group[0]);
        const double gy = std::log2(s.group[1]);
        const double far = std::pow(tx + gx - 5, 2) + std::pow(ty - 2, 2) +
                           std::pow(gy - gx - 1, 2) + std::pow(tx - 2, 2);
        const double patterns = (s.patterns[0] == AccessPattern::row ? 1.0 : 1.7) *
                                (s.patterns[1] == s.patterns[0] ? 1.6 : 1.0);
        return Nanoseconds{1000 * patterns * std::exp(0.15 * far)};
    };
}

/// Mean over seeds of the logarithm of the best time found.
template <class Search>
double mean_log_best(int seeds, const Search& search)
{
    double sum = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
        const SearchResult result = search(static_cast<std::uint64_t>(seed));
        REQUIRE(result.best);
        sum += std::log(result.best->time->value) / seeds;
    }
    return sum;
}

} // namespace

TEST_CASE(
    "Every search keeps to its budget, tries nothing twice, and finds the best of what it tried")
{
    const ConfigurationSpace space = synthetic_space();
    const TimeOf time_of = bowl(space);
    const std::int64_t size = space.size();
    REQUIRE(size == 4 * 16 * 24);
    for (const std::int64_t runs : {0, 1, 15, 16, 17, 70}) {
        CAPTURE(runs);
        const SearchBudget budget{runs};
        for (const SearchResult& result :
             {exhaustive_search(size, time_of, budget), random_search(size, time_of, budget, 5),
              learned_search(space, time_of, budget, 5)}) {
            CHECK(std::ssize(result.trials) == runs);
            CHECK_FALSE(result.interrupted);
            check_sound(result, size, time_of);
        }
    }
}

TEST_CASE("A search without a limit tries the whole space")
{
    const TimeOf time_of = permuted(100);
    for (const SearchResult& result :
         {exhaustive_search(100, time_of), random_search(100, time_of, {}, 9)}) {
        CHECK(result.trials.size() == 100);
        CHECK(result.best == Trial{85, Nanoseconds{1}}); // 7 * 85 + 5 = 600
        check_sound(result, 100, time_of);
    }
    ConfigurationSpace space;
    const std::size_t list =
        space.add_groups({{{1, 1}, {1, 1, 1}}, {{1, 1}, {2, 2, 1}}, {{2, 1}, {2, 2, 1}}});
    for (const std::int32_t side : {1, 2, 4, 8, 16, 32, 64}) {
        space.add_kernel({{AccessPattern::row}, {side, 1}}, list);
    }
    const TimeOf small = permuted(space.size() + 1);
    const SearchResult learned = learned_search(space, small, {}, 3, {.batch = 4});
    CHECK(std::ssize(learned.trials) == space.size());
    check_sound(learned, space.size(), small);
    CHECK(exhaustive_search(0, time_of).trials.empty());
    CHECK(random_search(0, time_of, {}, 1).trials.empty());
    CHECK(learned_search(ConfigurationSpace{}, time_of, {}, 1).trials.empty());
    CHECK_FALSE(exhaustive_search(0, time_of).best);
}

TEST_CASE("A list is searched in its order")
{
    const TimeOf time_of = permuted(10);
    const std::vector<std::int64_t> order{4, 3, 9, 0};
    const SearchResult result = listed_search(order, 10, time_of);
    REQUIRE(result.trials.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(result.trials[i].index == order[i]);
    }
    CHECK_FALSE(result.trials[1].time);
    CHECK(listed_search(order, 10, time_of, {2}).trials.size() == 2);
    CHECK_THROWS_AS(listed_search(order, 9, time_of), Error);
    CHECK_THROWS_AS(listed_search(std::vector<std::int64_t>{1, 1}, 9, time_of), Error);
}

TEST_CASE("Seeds decide a search, and nothing else does")
{
    const ConfigurationSpace space = synthetic_space();
    const TimeOf time_of = bowl(space);
    CHECK(learned_search(space, time_of, {50}, 4).trials ==
          learned_search(space, time_of, {50}, 4).trials);
    CHECK(learned_search(space, time_of, {50}, 4).trials !=
          learned_search(space, time_of, {50}, 5).trials);
    CHECK(random_search(1000, time_of, {50}, 4).trials ==
          random_search(1000, time_of, {50}, 4).trials);
    CHECK(random_search(1000, time_of, {50}, 4).trials !=
          random_search(1000, time_of, {50}, 5).trials);
    // A longer budget goes on where a shorter one ends.
    const auto shorter = learned_search(space, time_of, {30}, 4).trials;
    const auto longer = learned_search(space, time_of, {60}, 4).trials;
    CHECK(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

TEST_CASE("A search that is stopped keeps what is done; no seconds are no runs")
{
    const ConfigurationSpace space = synthetic_space();
    int asked = 0;
    const TimeOf counted = [&](std::int64_t) {
        ++asked;
        return std::optional(Nanoseconds{1.0 * asked});
    };
    const StopToken after_twenty = [&] { return asked >= 20; };
    for (int search = 0; search < 3; ++search) {
        asked = 0;
        const SearchResult result =
            search == 0   ? exhaustive_search(space.size(), counted, {}, {}, after_twenty)
            : search == 1 ? random_search(space.size(), counted, {}, 1, {}, after_twenty)
                          : learned_search(space, counted, {}, 1, {}, {}, after_twenty);
        CHECK(result.interrupted);
        CHECK(result.trials.size() == 20);
        CHECK(result.best->time == Nanoseconds{1});
    }
    const TimeOf gives_up = [](std::int64_t index) -> std::optional<Nanoseconds> {
        if (index == 7) {
            throw Interrupted{};
        }
        return Nanoseconds{1};
    };
    CHECK(exhaustive_search(100, gives_up).trials.size() == 7);
    CHECK(exhaustive_search(100, gives_up).interrupted);
    const SearchResult none = exhaustive_search(100, gives_up, {.runs = 50, .seconds = 0});
    CHECK(none.trials.empty());
    CHECK_FALSE(none.interrupted);
    std::vector<double> fractions;
    (void)exhaustive_search(4, permuted(4), {},
                            [&](const std::string&, double f) { fractions.push_back(f); });
    CHECK(fractions == std::vector<double>{0, 0.25, 0.5, 0.75});
    CHECK_THROWS_AS(learned_search(space, counted, {}, 1, {.batch = 0}), Error);
    CHECK_THROWS_AS(learned_search(space, counted, {}, 1, {.epsilon = 1.5}), Error);
}

TEST_CASE("Draws without repetition are permutations, all of them as likely")
{
    std::mt19937_64 random(11);
    std::map<std::vector<std::int64_t>, int> seen;
    for (int round = 0; round < 24000; ++round) {
        DistinctDraws draws(4);
        std::vector<std::int64_t> order;
        while (const auto next = draws.next(random)) {
            order.push_back(*next);
        }
        ++seen[order];
    }
    REQUIRE(seen.size() == 24);
    double chi = 0;
    for (const auto& [order, count] : seen) {
        CHECK(std::set<std::int64_t>(order.begin(), order.end()).size() == 4);
        chi += std::pow(count - 1000.0, 2) / 1000;
    }
    CHECK(chi < 49.7); // the 0.1 % quantile of chi squared with 23 degrees of freedom
}

TEST_CASE("A neighbour differs in one knob, and every element is reached")
{
    const ConfigurationSpace space = configuration_space(
        parse_operator("matmul", "16,16,16"), find_profile("adreno-640"),
        {.patterns = {AccessPattern::row, AccessPattern::block2}, .tile_sides = {1, 2}});
    const Knobs knobs(space);
    std::mt19937_64 random(3);
    std::set<std::int64_t> reached;
    std::int64_t place = 0;
    int by_more = 0;
    for (int step = 0; step < 60 * static_cast<int>(space.size()); ++step) {
        const Schedule from = space.at(place);
        place = knobs.neighbour(place, random);
        reached.insert(place);
        const Schedule to = space.at(place);
        int differ = from.patterns[0] != to.patterns[0];
        differ += from.patterns[1] != to.patterns[1];
        differ += from.tile[0] != to.tile[0];
        differ += from.tile[1] != to.tile[1];
        for (std::size_t side = 0; side < 3; ++side) {
            differ += from.group[side] != to.group[side];
        }
        differ += from.group == to.group && from.warp != to.warp;
        by_more += differ > 1;
        CHECK(differ > 0);
    }
    CHECK(by_more == 0);
    CHECK(std::ssize(reached) == space.size());
    CHECK(knobs.features(0).size() == knobs.features(space.size() - 1).size());
    CHECK(knobs.features(0) != knobs.features(space.size() - 1));
}

TEST_CASE(
    "With the same runs a learned search finds faster configurations than a random one, on average")
{
    const ConfigurationSpace space = synthetic_space();
    const TimeOf time_of = bowl(space);
    const SearchBudget budget{64};
    const double random = mean_log_best(
        20, [&](std::uint64_t seed) { return random_search(space.size(), time_of, budget, seed); });
    const double learned = mean_log_best(
        20, [&](std::uint64_t seed) { return learned_search(space, time_of, budget, seed); });
    const double best = std::log(exhaustive_search(space.size(), time_of).best->time->value);
    INFO("best " << best << ", learned " << learned << ", random " << random);
    CHECK(learned - best < 0.5 * (random - best));
}

TEST_CASE("In a large space the walks of a learned search go down")
{
    // A bowl over five knobs of 16 values each: the walks meet too little of it to find the bottom
    // by chance.
    ConfigurationSpace space;
    std::vector<GroupChoice> groups;
    constexpr std::int32_t values = 16;
    for (std::int32_t x = 1; x <= values; ++x) {
        for (std::int32_t y = 1; y <= values; ++y) {
            for (std::int32_t z = 1; z <= values; ++z) {
                groups.push_back({{1, 1}, {x, y, z}});
            }
        }
    }
    const std::size_t list = space.add_groups(groups);
    for (std::int32_t x = 1; x <= values; ++x) {
        for (std::int32_t y = 1; y <= values; ++y) {
            space.add_kernel({{AccessPattern::row}, {x, y}}, list);
        }
    }
    const TimeOf time_of = [&](std::int64_t index) -> std::optional<Nanoseconds> {
        const Schedule s = space.at(index);
        double far = 0;
        for (const std::int32_t side : {s.tile[0], s.tile[1], s.group[0], s.group[1], s.group[2]}) {
            far += std::abs(side - 5);
        }
        return Nanoseconds{std::exp(far / 5)};
    };
    const LearnedOptions options{.walks = 8, .steps = 40};
    const double random = mean_log_best(
        40, [&](std::uint64_t seed) { return random_search(space.size(), time_of, {96}, seed); });
    const double learned = mean_log_best(40, [&](std::uint64_t seed) {
        return learned_search(space, time_of, {96}, seed, options);
    });
    INFO("learned " << learned << ", random " << random);
    // Over 80 seeds it is 0.28 of it, and 0.41 where the walks go up.
    CHECK(learned < 0.34 * random);
}

TEST_CASE("It does so on a simulated device as well, and the judge is the timed simulator")
{
    const DeviceProfile device = find_profile("adreno-640");
    const Operator op = parse_operator("matmul", "24,32,20");
    const ConfigurationSpace space = configuration_space(op, device, {.tile_sides = {1, 2, 4}});
    const TimesOf simulator = times_in(simulator_timer(device, 0, ""), op, space);
    std::map<std::int64_t, std::optional<Nanoseconds>> known;
    const TimeOf time_of = [&](std::int64_t index) {
        const auto found = known.find(index);
        return found != known.end() ? found->second
                                    : known.emplace(index, simulator.one(index)).first->second;
    };
    const SearchBudget budget{48};
    const double random = mean_log_best(
        8, [&](std::uint64_t seed) { return random_search(space.size(), time_of, budget, seed); });
    const double learned = mean_log_best(
        8, [&](std::uint64_t seed) { return learned_search(space, time_of, budget, seed); });
    INFO("learned " << learned << ", random " << random << ", of " << space.size());
    CHECK(learned < random - 0.02);

    CrosscheckOptions few;
    few.samples = 4;
    for (const CrosscheckRow& row :
         crosscheck(op, device, calibrate_profile(device, 1), nullptr, few).rows) {
        const ConfigurationSpace one = space_of({row.schedule});
        CHECK(times_in(simulator_timer(device, 0, ""), op, one).one(0) == row.simulated);
    }
    const ConfigurationSpace illegal = space_of({parse_schedule("A=row,row;T=4x4;G=64x64")});
    CHECK_FALSE(times_in(simulator_timer(device, 0, ""), op, illegal).one(0));
}

TEST_CASE("Local sizes: one kernel, whole warps, each size once")
{
    const DeviceProfile device = find_profile("adreno-640"); // warps of 64, groups of 1024 at most
    for (const auto& [name, shape] :
         std::vector<std::pair<const char*, const char*>>{{"matmul", "64,64,64"},
                                                          {"conv2d", "1,14,14,16,16,3,3,1"},
                                                          {"softmax", "300,70"},
                                                          {"matmul", "3,3,3"}}) {
        CAPTURE(name, shape);
        const Operator op = parse_operator(name, shape);
        const ConfigurationSpace space = local_size_space(op, device);
        CHECK(space.kernel_count() == 1);
        CHECK(space.size() >= 1);
        CHECK(space.size() <= 15);
        std::set<Dim3> groups;
        for (std::int64_t i = 0; i < space.size(); ++i) {
            const Schedule schedule = space.at(i);
            CHECK(groups.insert(schedule.group).second);
            CHECK_NOTHROW(check_limits(loop_nest(op, schedule), device));
        }
        const SearchResult result =
            exhaustive_search(space.size(), times_in(simulator_timer(device, 0, ""), op, space));
        CHECK(std::ssize(result.trials) == space.size());
        CHECK(result.best);
    }
    // 256 x 256 with MNN's tile of 4 x 1: 64 x 256 tiles. 64 = 8 x 8, 32 x 2, 2 x 32; 128 = 16 x 8,
    // 64 x 2, 4 x 32; ...
    const ConfigurationSpace product =
        local_size_space(parse_operator("matmul", "256,256,256"), device);
    std::vector<Dim3> groups;
    for (std::int64_t i = 0; i < 6; ++i) {
        groups.push_back(product.at(i).group);
    }
    CHECK(groups ==
          std::vector<Dim3>{{8, 8, 1}, {32, 2, 1}, {2, 32, 1}, {16, 8, 1}, {64, 2, 1}, {4, 32, 1}});
    CHECK(product.size() == 15);
}

TEST_CASE("A search asks together who answers so, in batches, and says what comes next")
{
    const std::int64_t size = 30;
    std::vector<std::size_t> batches, told;
    TimesOf times = permuted(size);
    times.together = [&](std::span<const std::int64_t> indices) {
        batches.push_back(indices.size());
        return mapped(indices, permuted(size));
    };
    times.ahead = [&](std::span<const std::int64_t> indices) { told.push_back(indices.size()); };
    const SearchResult alone = random_search(size, permuted(size), {.runs = 20}, 5);
    const SearchResult together = random_search(size, times, {.runs = 20}, 5);
    CHECK(together.trials == alone.trials);
    CHECK(together.best == alone.best);
    CHECK(batches == std::vector<std::size_t>{8, 8, 4});
    CHECK(told == std::vector<std::size_t>{16, 12, 4});
    // Neither time nor a stop cuts a batch, but none begins after them.
    batches.clear();
    CHECK(random_search(size, times, {.runs = 20, .seconds = 0}, 5).trials.empty());
    const SearchResult stopped =
        random_search(size, times, {.runs = 20}, 5, {}, [&] { return batches.size() == 1; });
    CHECK(stopped.interrupted);
    CHECK(stopped.trials.size() == 8);
    CHECK(batches.size() == 1);
}

TEST_CASE("Configurations that a device is asked together are judged once, and kept")
{
    const Operator op = parse_operator("matmul", "64,64,64");
    const DeviceProfile device = find_profile("adreno-740");
    const ConfigurationSpace space = configuration_space(op, device);
    ScratchFolder folder(temporary_path("together"));
    ResultStore store(folder.file("store.sqlite"));
    OperatorTimer timer = simulator_timer(device, 2000, "");
    std::vector<std::size_t> asked;
    timer.answers = [&, answer = timer.answer](const Operator& of,
                                               std::span<const LegalKernel> kernels) {
        asked.push_back(kernels.size());
        return mapped(kernels, [&](const LegalKernel& kernel) {
            return answer(of, kernel.schedule, kernel.nest);
        });
    };
    JudgeCounts counts;
    const TimesOf times = times_in(timer, op, space, &store, &counts);
    const std::vector<std::int64_t> first{0, 1, 2, 3}, next{2, 3, 4, 5, 6};
    const auto before = times(first);
    const auto after = times(next);
    CHECK(asked == std::vector<std::size_t>{4, 3});
    CHECK(counts.judged == 7);
    CHECK(counts.from_store == 2);
    CHECK(before[2] == after[0]);
    const TimesOf alone = times_in(simulator_timer(device, 2000, ""), op, space);
    CHECK(mapped(next, alone.one) == after);
    // Repeats add their samples.
    const auto again = repeats_in(timer, op, space, &store)(first);
    CHECK(again == before);
    CHECK(asked.back() == 4);
    const auto key = key_of(timer, op, space.at(0));
    CHECK(store.find(key.value()).value().samples_ns.size() == 2);
}
