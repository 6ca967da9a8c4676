#include "workbench/tuning/settled_leaders.hpp"

#include "base/averages.hpp"
#include "base/lists.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace texelscope::workbench::tuning {
namespace {

using Leader = SettledLeaders::Leader;

/// Trials that took less than `below` and are not in `known`, which they enter; fastest first.
std::vector<Leader> faster_than(double below, const SearchResult& search,
                                std::set<std::int64_t>& known, std::size_t at_most)
{
    std::vector<Trial> faster;
    for (const Trial& trial : search.trials) {
        if (trial.time && trial.time->value < below && !known.contains(trial.index)) {
            faster.push_back(trial);
        }
    }
    std::ranges::stable_sort(faster, {}, [](const Trial& trial) { return trial.time->value; });
    faster.resize(std::min(faster.size(), at_most));
    std::vector<Leader> found;
    for (const Trial& trial : faster) {
        known.insert(trial.index);
        found.push_back({trial.index, {}});
    }
    return found;
}

/// Noise of the repeats, pooled over the leaders, and how well it is known.
struct Noise {
    double deviation = 0;
    double freedom = 0;
};

Noise noise_of(const std::vector<Leader>& leaders)
{
    double squares = 0;
    double freedom = 0;
    for (const Leader& leader : leaders) {
        const double mean = std::log(leader.time().value);
        for (const double ns : leader.ns) {
            squares += std::pow(std::log(ns) - mean, 2);
        }
        freedom += static_cast<double>(leader.ns.size()) - 1;
    }
    return {freedom > 0 ? std::sqrt(squares / freedom) : 0, freedom};
}

/// What the logarithms of two leaders' times have to differ by for 95 % confidence, by Student's
/// distribution.
double uncertain(const Noise& noise, const Leader& a, const Leader& b)
{
    const boost::math::students_t student(std::max(noise.freedom, 1.0));
    return boost::math::quantile(student, 0.975) * noise.deviation *
           std::sqrt(1 / static_cast<double>(a.ns.size()) + 1 / static_cast<double>(b.ns.size()));
}

} // namespace

Nanoseconds SettledLeaders::Leader::time() const
{
    return Nanoseconds{geometric_mean(ns)};
}

SettledLeaders settled_leaders(const SearchResult& search, const TimesOf& again,
                               const LeaderOptions& options,
                               const std::function<bool(std::int64_t)>& more, const StopToken& stop)
{
    SettledLeaders result;
    if (!search.best) {
        return result;
    }
    std::set<std::int64_t> known;
    std::vector<Leader> leaders = faster_than(search.best->time->value * (1 + options.margin),
                                              search, known, options.leaders);
    if (leaders.size() < 2) { // it may be alone by luck: another run tells
        std::ranges::move(faster_than(INFINITY, search, known, 1), std::back_inserter(leaders));
    }
    const auto repeat = [&](const std::vector<std::size_t>& which) {
        check_stop(stop);
        if (more && !more(std::ssize(which))) {
            return false;
        }
        const auto times = again(mapped(which, [&](std::size_t i) { return leaders[i].index; }));
        for (std::size_t k = 0; k < which.size(); ++k) {
            std::vector<double>& ns = leaders[which[k]].ns;
            if (times[k] && times[k]->value > 0) {
                ns.push_back(times[k]->value);
            } else {
                ns.clear();
            }
        }
        result.repeats += std::ssize(which);
        std::erase_if(leaders, [](const Leader& leader) { return leader.ns.empty(); });
        return true;
    };
    const auto indices = [&](const auto& chosen) {
        std::vector<std::size_t> which;
        for (std::size_t i = 0; i < leaders.size(); ++i) {
            if (chosen(leaders[i])) {
                which.push_back(i);
            }
        }
        return which;
    };
    try {
        bool going = true;
        while (going && !leaders.empty()) {
            const std::vector<std::size_t> new_ones =
                indices([](const Leader& leader) { return leader.ns.size() < 3; });
            if (!new_ones.empty()) {
                going = repeat(new_ones);
                continue;
            }
            std::ranges::stable_sort(leaders, {},
                                     [](const Leader& leader) { return leader.time().value; });
            const Leader& first = leaders.front();
            // It took longer than at the first time: another may be faster now.
            const std::vector<Leader> others =
                faster_than(first.time().value, search, known, options.leaders);
            if (!others.empty()) {
                leaders.insert(leaders.end(), others.begin(), others.end());
                continue;
            }
            const Noise noise = noise_of(leaders);
            const std::vector<std::size_t> open = indices([&](const Leader& leader) {
                const double unsure = uncertain(noise, first, leader);
                const double behind = std::log(leader.time().value / first.time().value);
                return &leader == &first || (behind < unsure && unsure > options.alike);
            });
            result.settled = open.size() == 1;
            const bool spent = std::ranges::all_of(
                open, [&](std::size_t i) { return std::ssize(leaders[i].ns) >= options.repeats; });
            if (result.settled || spent) {
                break;
            }
            going = repeat(open);
        }
    } catch (const Interrupted&) {
        // What was repeated until then counts.
    }
    std::erase_if(leaders, [](const Leader& leader) { return leader.ns.size() < 2; });
    std::ranges::stable_sort(leaders, {}, [](const Leader& leader) { return leader.time().value; });
    result.noise = noise_of(leaders).deviation;
    result.leaders = std::move(leaders);
    return result;
}

SearchResult with_leaders(SearchResult search, const SettledLeaders& leaders)
{
    if (leaders.leaders.empty()) {
        return search;
    }
    const Nanoseconds first = leaders.leaders.front().time();
    for (Trial& trial : search.trials) {
        const auto leader = std::ranges::find(leaders.leaders, trial.index, &Leader::index);
        if (leader != leaders.leaders.end()) {
            trial.time = leader->time();
        } else if (trial.time && *trial.time < first) {
            trial.rough = true;
        }
        if (trial.index == leaders.leaders.front().index) {
            search.best = trial;
        }
    }
    return search;
}

} // namespace texelscope::workbench::tuning
