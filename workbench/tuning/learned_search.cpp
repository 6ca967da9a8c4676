#include "workbench/tuning/learned_search.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/random.hpp"
#include "workbench/space/knobs.hpp"
#include "workbench/tuning/trial_log.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

namespace texelscope::workbench::tuning {
namespace {

/// Logarithms of the times; a trial that could not run counts as e times the slowest.
Eigen::VectorXd log_times(std::span<const Trial> trials)
{
    constexpr double least = 1e-3; // ns: a time of zero has no logarithm
    double slowest = least;
    for (const Trial& trial : trials) {
        slowest = std::max(slowest, trial.time ? trial.time->value : 0);
    }
    Eigen::VectorXd logs(std::ssize(trials));
    std::transform(trials.begin(), trials.end(), logs.begin(), [&](const Trial& trial) {
        return trial.time ? std::log(std::max(trial.time->value, least)) : std::log(slowest) + 1;
    });
    return logs;
}

/// What the trials so far say of elements that were not tried.
class CostModel {
public:
    /// One trial at least. The knobs must outlive this.
    CostModel(const Knobs& knobs, std::span<const Trial> trials, const BoostingOptions& options)
        : knobs_(knobs), trees_(fit(knobs, trials, options))
    {}

    /// Logarithm of the time.
    double cost(std::int64_t index)
    {
        const auto found = known_.find(index);
        if (found != known_.end()) {
            return found->second;
        }
        return known_.emplace(index, trees_.predict(knobs_.features(index))).first->second;
    }

private:
    static BoostedTrees fit(const Knobs& knobs, std::span<const Trial> trials,
                            const BoostingOptions& options)
    {
        const Eigen::VectorXd targets = log_times(trials);
        Eigen::MatrixXd features(targets.size(), knobs.features(trials[0].index).size());
        for (Eigen::Index i = 0; i < targets.size(); ++i) {
            features.row(i) = knobs.features(trials[static_cast<std::size_t>(i)].index).transpose();
        }
        return {features, targets, options};
    }

private:
    const Knobs& knobs_;
    BoostedTrees trees_;
    std::unordered_map<std::int64_t, double> known_;
};

/// The cheapest elements that were met, at most so many.
class Shortlist {
public:
    explicit Shortlist(std::int64_t most) : most_(most) {}

    void add(double cost, std::int64_t index)
    {
        elements_.emplace(cost, index);
        if (std::ssize(elements_) > most_) {
            elements_.erase(std::prev(elements_.end()));
        }
    }
    [[nodiscard]] std::vector<std::int64_t> ascending() const
    {
        return mapped(elements_, &std::pair<double, std::int64_t>::second);
    }

private:
    std::int64_t most_;
    std::set<std::pair<double, std::int64_t>> elements_;
};

/// Where walks start: half at the best trials, the others anywhere.
std::vector<std::int64_t> starts(std::int64_t size, std::span<const Trial> trials,
                                 const LearnedOptions& options, std::mt19937_64& random)
{
    std::vector<Trial> best;
    std::copy_if(trials.begin(), trials.end(), std::back_inserter(best),
                 [](const Trial& t) { return t.time.has_value(); });
    std::ranges::stable_sort(best, {}, [](const Trial& trial) { return *trial.time; });
    std::vector<std::int64_t> places;
    for (int walk = 0; walk < options.walks; ++walk) {
        const auto at = static_cast<std::size_t>(walk);
        places.push_back(walk < options.walks / 2 && at < best.size()
                             ? best[at].index
                             : static_cast<std::int64_t>(
                                   uniform_below(random, static_cast<std::uint64_t>(size))));
    }
    return places;
}

/// The elements that annealing finds to be cheapest, of those that were not tried; ascending.
std::vector<std::int64_t> propose(std::int64_t size, const Knobs& knobs, const TrialLog& log,
                                  const LearnedOptions& options, std::mt19937_64& random)
{
    CostModel model(knobs, log.trials(), options.trees);
    const Eigen::VectorXd logs = log_times(log.trials());
    // The temperature starts at the spread of the logarithms: then a rise of that size is accepted
    // with probability 1/e.
    const double hottest = std::sqrt((logs.array() - logs.mean()).square().mean());
    std::vector<std::int64_t> places = starts(size, log.trials(), options, random);
    Shortlist shortlist(options.batch);
    const auto meet = [&](std::int64_t index) {
        const double cost = model.cost(index);
        if (!log.tried(index)) {
            shortlist.add(cost, index);
        }
        return cost;
    };
    for (const std::int64_t place : places) {
        meet(place);
    }
    for (int step = 0; step < options.steps; ++step) {
        const double temperature = hottest * (1 - static_cast<double>(step) / options.steps);
        for (std::int64_t& place : places) {
            const std::int64_t next = knobs.neighbour(place, random);
            const double rise = meet(next) - model.cost(place);
            if (rise <= 0 || uniform_real(random) < std::exp(-rise / temperature)) {
                place = next;
            }
        }
    }
    return shortlist.ascending();
}

} // namespace

SearchResult learned_search(const ConfigurationSpace& space, const TimesOf& times_of,
                            const SearchBudget& budget, std::uint64_t seed,
                            const LearnedOptions& options, const Progress& progress,
                            const StopToken& stop)
{
    if (options.batch < 1 || options.walks < 1 || options.steps < 0 ||
        !(options.epsilon >= 0 && options.epsilon <= 1)) {
        throw bad_input("an option is out of range", "learned search",
                        "use batch and walks from 1 on and an epsilon in [0, 1]");
    }
    TrialLog log(space.size(), times_of, budget, progress, stop);
    if (space.size() == 0) {
        return std::move(log).result();
    }
    const Knobs knobs(space);
    std::mt19937_64 random(seed);
    DistinctDraws draws(space.size());
    std::set<std::int64_t> chosen; // by all batches
    const auto draw_untried = [&] {
        auto index = draws.next(random);
        while (index && chosen.contains(*index)) {
            index = draws.next(random);
        }
        return index;
    };
    bool more = true;
    while (more) {
        const std::vector<std::int64_t> proposed =
            log.trials().empty() ? std::vector<std::int64_t>{}
                                 : propose(space.size(), knobs, log, options, random);
        std::size_t taken = 0;
        std::vector<std::int64_t> batch;
        for (std::int64_t i = 0; i < options.batch; ++i) {
            const bool explore = taken == proposed.size() || uniform_real(random) < options.epsilon;
            std::optional<std::int64_t> index;
            if (explore) {
                index = draw_untried();
            } else {
                index = proposed[taken++];
            }
            if (!index) {
                break;
            }
            if (chosen.insert(*index).second) { // what was drawn may have been proposed as well
                batch.push_back(*index);
            }
        }
        more = !batch.empty() && log.run(batch);
    }
    return std::move(log).result();
}

} // namespace texelscope::workbench::tuning
