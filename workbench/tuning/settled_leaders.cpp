#include "workbench/tuning/settled_leaders.hpp"

#include "base/averages.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace texelscope::workbench::tuning {
namespace {

using Leader = SettledLeaders::Leader;

/// Within the margin of the best, fastest first.
std::vector<Leader> leaders_of(const SearchResult& search, const LeaderOptions& options)
{
    std::vector<Trial> near;
    for (const Trial& trial : search.trials) {
        if (trial.time && trial.time->value <= search.best->time->value * (1 + options.margin)) {
            near.push_back(trial);
        }
    }
    std::ranges::stable_sort(near, {}, [](const Trial& trial) { return trial.time->value; });
    near.resize(std::min(near.size(), options.leaders));
    std::vector<Leader> leaders;
    for (const Trial& trial : near) {
        leaders.push_back({trial.index, {}});
    }
    return leaders;
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

SettledLeaders settled_leaders(const SearchResult& search, const TimeOf& again,
                               const LeaderOptions& options, const std::function<bool()>& more,
                               const StopToken& stop)
{
    SettledLeaders result;
    if (!search.best) {
        return result;
    }
    std::vector<Leader> leaders = leaders_of(search, options);
    if (leaders.size() < 2) {
        result.settled = true;
        return result;
    }
    const auto repeat = [&](const std::vector<std::size_t>& which) {
        std::vector<bool> lost(leaders.size());
        for (const std::size_t i : which) {
            check_stop(stop);
            if (more && !more()) {
                return false;
            }
            const auto time = again(leaders[i].index);
            ++result.repeats;
            lost[i] = !time || time->value <= 0;
            if (!lost[i]) {
                leaders[i].ns.push_back(time->value);
            }
        }
        std::size_t i = 0;
        std::erase_if(leaders, [&](const Leader&) { return lost[i++]; });
        return true;
    };
    const auto all = [&] {
        std::vector<std::size_t> every(leaders.size());
        std::size_t i = 0;
        std::ranges::generate(every, [&] { return i++; });
        return every;
    };
    try {
        bool going = repeat(all()) && repeat(all()) && repeat(all());
        while (going && !leaders.empty()) {
            std::ranges::stable_sort(leaders, {},
                                     [](const Leader& leader) { return leader.time().value; });
            const Noise noise = noise_of(leaders);
            const Leader& first = leaders.front();
            std::vector<std::size_t> open{0};
            for (std::size_t i = 1; i < leaders.size(); ++i) {
                const double unsure = uncertain(noise, first, leaders[i]);
                const double behind = std::log(leaders[i].time().value / first.time().value);
                if (behind < unsure && unsure > options.alike) {
                    open.push_back(i);
                }
            }
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
    for (Trial& trial : search.trials) {
        const auto leader = std::ranges::find(leaders.leaders, trial.index, &Leader::index);
        if (leader != leaders.leaders.end()) {
            trial.time = leader->time();
        }
    }
    search.best.reset();
    for (const Trial& trial : search.trials) {
        if (trial.time && (!search.best || *trial.time < *search.best->time)) {
            search.best = trial;
        }
    }
    return search;
}

} // namespace texelscope::workbench::tuning
