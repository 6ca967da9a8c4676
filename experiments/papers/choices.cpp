#include "experiments/papers/choices.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace texelscope::experiments {

SimulatedTimes::SimulatedTimes(Operator op, const DeviceProfile& device, std::int64_t most_accesses,
                               const StopToken& stop)
    : op_(std::move(op)), device_(device), stop_(stop), judging_(simulator_judging(device, most_accesses, {}, stop))
{}

std::optional<Nanoseconds> SimulatedTimes::time(const Schedule& schedule)
{
    const std::string key = to_string(schedule);
    if (const auto found = known_.find(key); found != known_.end()) {
        return found->second;
    }
    const std::optional<StoredResult> result = judged(judging_, op_, schedule);
    const auto time = result ? std::optional(Nanoseconds{result->median_ns()}) : std::nullopt;
    known_.emplace(key, time);
    return time;
}

Judge SimulatedTimes::judge(const ConfigurationSpace& space)
{
    return [this, &space](std::int64_t index) { return time(space.at(index)); };
}

TimedChoice timed(const std::optional<Choice>& choice, SimulatedTimes& times)
{
    const std::optional<Nanoseconds> time = choice ? times.time(choice->schedule) : std::nullopt;
    if (!time) {
        throw bad_input("no configuration can run", to_string(times.op()) + " on " + times.device().name);
    }
    return {*choice, *time};
}

namespace {

/// Throws Interrupted.
SearchResult searched(const Strategy& strategy, const ConfigurationSpace& space, const SearchBudget& budget,
                      SimulatedTimes& times, std::uint64_t seed)
{
    const Judge judge = times.judge(space);
    SearchResult found =
        run_strategy(strategy, {times.op(), times.device(), space, judge, budget, seed, {}, times.stop()}).search;
    if (found.interrupted) {
        throw Interrupted{};
    }
    return found;
}

std::optional<Choice> choice_of(const ConfigurationSpace& space, const SearchResult& found)
{
    if (!found.best) {
        return std::nullopt;
    }
    Choice choice{space.at(found.best->index), space.size(), std::ssize(found.trials), {}};
    for (const Trial& trial : found.trials) {
        choice.run_time += trial.time.value_or(Nanoseconds{0});
    }
    return choice;
}

} // namespace

std::optional<Choice> best_of(const Strategy& strategy, const ConfigurationSpace& space, const SearchBudget& budget,
                              SimulatedTimes& times, std::uint64_t seed)
{
    return choice_of(space, searched(strategy, space, budget, times, seed));
}

Choice first_of_model(ModelVariant variant, const ConfigurationSpace& space, const Calibration& calibration,
                      const SimulatedTimes& times)
{
    const Ranking ranking = rank_by_model({times.op(), times.device(), space, calibration, variant, times.stop()}, 1);
    return {ranking.best.front().schedule, space.size(), 0, {}};
}

std::optional<Choice> shortlisted(const ConfigurationSpace& space, SimulatedTimes& times,
                                  std::optional<std::int64_t> tries)
{
    const Strategy strategy = parse_strategy("shortlist");
    return best_of(strategy, space, {tries ? *tries : strategy.runs.value()}, times);
}

std::optional<Choice> shortlisted_twice(const ConfigurationSpace& space, SimulatedTimes& times, SimulatedTimes& closer,
                                        std::int64_t tries, std::size_t again)
{
    std::vector<Trial> trials = searched(parse_strategy("shortlist"), space, {tries}, times, 1).trials;
    std::erase_if(trials, [](const Trial& trial) { return !trial.time; });
    std::ranges::stable_sort(trials, {}, [](const Trial& trial) { return trial.time->value; });
    trials.resize(std::min(again, trials.size()));
    std::vector<std::int64_t> indices;
    std::ranges::transform(trials, std::back_inserter(indices), &Trial::index);
    const SearchResult found = listed_search(indices, space.size(), closer.judge(space), {}, {}, closer.stop());
    if (found.interrupted) {
        throw Interrupted{};
    }
    return choice_of(space, found);
}

std::optional<Choice> chosen_by(Framework framework, SimulatedTimes& times, const FrameworkTries& tries)
{
    FrameworkSearch search = framework_search(framework, times.op(), times.device());
    if (search.strategy.learns) {
        search.budget.runs = tries.learned;
    } else if (search.strategy.runs != 1) {
        return shortlisted(search.space, times, tries.of_all);
    }
    return best_of(search.strategy, search.space, search.budget, times);
}

} // namespace texelscope::experiments
