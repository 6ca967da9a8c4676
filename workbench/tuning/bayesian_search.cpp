#include "workbench/tuning/bayesian_search.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "workbench/tuning/trial_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <unordered_set>

namespace texelscope::workbench::tuning {
namespace {

void check(const std::vector<SearchCandidate>& candidates, std::int64_t size)
{
    std::unordered_set<std::int64_t> seen;
    for (const SearchCandidate& one : candidates) {
        if (one.index < 0 || one.index >= size || !seen.insert(one.index).second ||
            !(one.expected.value > 0) ||
            one.features.size() != candidates.front().features.size()) {
            throw bad_input(
                "a candidate is outside of the space, comes twice, has no expected time "
                "or other features than the first",
                "Bayesian search");
        }
    }
}

/// The features with a mean of 0, and a variance that is the same for each that varies, 1 together.
Eigen::MatrixXd places_of(const std::vector<SearchCandidate>& candidates)
{
    Eigen::MatrixXd places(std::ssize(candidates), candidates.front().features.size());
    for (Eigen::Index i = 0; i < places.rows(); ++i) {
        places.row(i) = candidates[static_cast<std::size_t>(i)].features.transpose();
    }
    double varying = 0;
    for (Eigen::Index k = 0; k < places.cols(); ++k) {
        auto column = places.col(k);
        column.array() -= column.mean();
        const double spread = std::sqrt(column.squaredNorm() / static_cast<double>(column.size()));
        constexpr double nothing = 1e-9;
        column = spread > nothing ? Eigen::VectorXd(column / spread)
                                  : Eigen::VectorXd::Zero(column.size());
        varying += spread > nothing ? 1 : 0;
    }
    return places / std::sqrt(std::max(varying, 1.0));
}

/// How likely candidates can run: by the trials, each counted the more the nearer it is, and one
/// that could.
class ChanceToRun {
public:
    explicit ChanceToRun(const Eigen::MatrixXd& places)
        : places_(places), tried_(Eigen::ArrayXd::Ones(places.rows())), ran_(tried_)
    {}
    void observe(Eigen::Index place, bool ran)
    {
        constexpr double length = 1.0 / 3; // of what the features' spread is 1 to
        const Eigen::ArrayXd near =
            (-(places_.rowwise() - places_.row(place)).rowwise().norm().array() / length).exp();
        tried_ += near;
        ran_ += ran ? near : Eigen::ArrayXd::Zero(near.size());
    }
    [[nodiscard]] double at(Eigen::Index place) const { return ran_[place] / tried_[place]; }

private:
    const Eigen::MatrixXd& places_;
    Eigen::ArrayXd tried_;
    Eigen::ArrayXd ran_;
};

/// What is expected of the candidates by now.
class Expectations {
public:
    Expectations(const std::vector<SearchCandidate>& candidates, const Eigen::MatrixXd& places,
                 const BayesianOptions& options)
        : candidates_(candidates), options_(options), process_(places, options.process),
          chance_(places), open_(candidates.size(), true)
    {
        for (const SearchCandidate& one : candidates) {
            prior_.push_back(std::log(one.expected.value));
        }
    }

    struct Choice {
        std::optional<std::size_t> next; ///< nothing where none is left
        double chance_left = 0;          ///< BayesianResult::chance_left
    };
    /// The candidate that may be best. Before anything ran, what is expected to be best, less a
    /// deviation: of two that are expected to be alike, the one of which more is known.
    [[nodiscard]] Choice choice() const
    {
        Choice choice;
        double most = -std::numeric_limits<double>::infinity();
        double none_better = 1;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (!open_[i]) {
                continue;
            }
            const auto place = static_cast<Eigen::Index>(i);
            const double expected = expected_of(i);
            const double deviation = process_.deviation(place);
            const double improvement =
                std::isinf(best_)
                    ? std::log(chance_.at(place)) - expected - candidates_[i].spread
                    : chance_.at(place) * expected_improvement(best_, expected, deviation);
            if (improvement > most) {
                most = improvement;
                choice.next = i;
            }
            none_better *= std::isinf(best_)
                               ? 0
                               : 1 - probability_below(best_ + std::log1p(-options_.gain), expected,
                                                       deviation);
        }
        choice.chance_left = choice.next ? 1 - none_better : 0;
        return choice;
    }

    void observe(std::size_t i, const std::optional<Nanoseconds>& time)
    {
        const auto place = static_cast<Eigen::Index>(i);
        open_[i] = false;
        chance_.observe(place, time.has_value());
        if (time) {
            process_.observe(place, std::log(time->value) - prior_[i]);
            best_ = std::min(best_, std::log(time->value));
        }
    }
    /// As if it took what is expected.
    void believe(std::size_t i)
    {
        open_[i] = false;
        best_ = std::min(best_, expected_of(i));
        process_.believe(static_cast<Eigen::Index>(i));
    }
    /// The candidates that come from `first` on as long as each takes what is expected, at most so
    /// many.
    [[nodiscard]] std::vector<std::size_t> from(std::size_t first, std::size_t at_most) const
    {
        std::vector<std::size_t> chosen{first};
        if (at_most == 1) {
            return chosen;
        }
        Expectations believed = *this;
        while (chosen.size() < at_most) {
            believed.believe(chosen.back());
            const std::optional<std::size_t> next = believed.choice().next;
            if (!next) {
                break;
            }
            chosen.push_back(*next);
        }
        return chosen;
    }

private:
    [[nodiscard]] double expected_of(std::size_t i) const
    {
        return prior_[i] + process_.expected()[static_cast<Eigen::Index>(i)];
    }

    const std::vector<SearchCandidate>& candidates_;
    const BayesianOptions& options_;
    GaussianProcess process_;
    ChanceToRun chance_;
    std::vector<bool> open_;    ///< not tried yet
    std::vector<double> prior_; ///< logarithms of times, as best_ is
    double best_ = std::numeric_limits<double>::infinity();
};

} // namespace

BayesianResult bayesian_search(const std::vector<SearchCandidate>& candidates, std::int64_t size,
                               const TimesOf& times_of, const SearchBudget& budget,
                               const BayesianOptions& options, const Progress& progress,
                               const StopToken& stop)
{
    check(candidates, size);
    SearchBudget of_candidates = budget;
    of_candidates.runs = std::min(budget.runs, std::ssize(candidates));
    TrialLog log(size, times_of, of_candidates, progress, stop);
    BayesianResult result;
    if (candidates.empty()) {
        return {std::move(log).result(), 0};
    }
    const Eigen::MatrixXd places = places_of(candidates);
    Expectations expectations(candidates, places, options);
    const auto index_of = [&](std::size_t i) { return candidates[i].index; };
    // Who answers one at a time is asked with all that is known by then.
    const std::size_t at_once = times_of.together ? search_batch : 1;
    const std::size_t chosen = times_of.ahead ? 2 * search_batch : at_once;
    for (bool goes_on = true;;) {
        const Expectations::Choice choice = expectations.choice();
        result.chance_left = choice.chance_left;
        const bool sure =
            result.chance_left < options.chance && std::ssize(log.trials()) >= options.least_runs;
        if (!choice.next || sure || !goes_on) {
            break;
        }
        const std::vector<std::size_t> next = expectations.from(*choice.next, chosen);
        const std::vector<std::int64_t> indices = mapped(next, index_of);
        const std::span batch = std::span(indices).first(std::min(at_once, indices.size()));
        const std::size_t before = log.trials().size();
        goes_on = log.run(batch, std::span(indices).subspan(batch.size()));
        for (const Trial& trial : log.trials().subspan(before)) {
            const auto at = std::ranges::find(indices, trial.index) - indices.begin();
            expectations.observe(next[static_cast<std::size_t>(at)], trial.time);
        }
    }
    result.search = std::move(log).result();
    return result;
}

} // namespace texelscope::workbench::tuning
