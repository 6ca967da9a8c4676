#include "workbench/tuning/bayesian_search.hpp"

#include "base/error.hpp"
#include "workbench/tuning/trial_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

} // namespace

BayesianResult bayesian_search(const std::vector<SearchCandidate>& candidates, std::int64_t size,
                               const TimeOf& time_of, const SearchBudget& budget,
                               const BayesianOptions& options, const Progress& progress,
                               const StopToken& stop)
{
    check(candidates, size);
    SearchBudget of_candidates = budget;
    of_candidates.runs = std::min(budget.runs, std::ssize(candidates));
    TrialLog log(size, time_of, of_candidates, progress, stop);
    BayesianResult result;
    if (candidates.empty()) {
        return {std::move(log).result(), 0};
    }
    const Eigen::MatrixXd places = places_of(candidates);
    GaussianProcess process(places, options.process);
    ChanceToRun chance(places);
    std::vector<double> prior; // logarithms, as `best` is
    prior.reserve(candidates.size());
    for (const SearchCandidate& one : candidates) {
        prior.push_back(std::log(one.expected.value));
    }
    double best = std::numeric_limits<double>::infinity();
    while (true) {
        // Before anything ran, what is expected to be best, less a deviation: of two that are
        // expected to be alike, the one of which more is known.
        std::size_t next = candidates.size();
        double most = -std::numeric_limits<double>::infinity();
        double none_better = 1;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (log.tried(candidates[i].index)) {
                continue;
            }
            const auto place = static_cast<Eigen::Index>(i);
            const double expected = prior[i] + process.expected()[place];
            const double deviation = process.deviation(place);
            const double improvement =
                std::isinf(best)
                    ? std::log(chance.at(place)) - expected - candidates[i].spread
                    : chance.at(place) * expected_improvement(best, expected, deviation);
            if (improvement > most) {
                most = improvement;
                next = i;
            }
            none_better *=
                std::isinf(best)
                    ? 0
                    : 1 - probability_below(best + std::log1p(-options.gain), expected, deviation);
        }
        result.chance_left = next == candidates.size() ? 0 : 1 - none_better;
        const bool sure =
            result.chance_left < options.chance && std::ssize(log.trials()) >= options.least_runs;
        if (next == candidates.size() || sure || !log.run(candidates[next].index)) {
            break;
        }
        const std::optional<Nanoseconds> time = log.trials().back().time;
        const auto place = static_cast<Eigen::Index>(next);
        chance.observe(place, time.has_value());
        if (time) {
            process.observe(place, std::log(time->value) - prior[next]);
            best = std::min(best, std::log(time->value));
        }
    }
    result.search = std::move(log).result();
    return result;
}

} // namespace texelscope::workbench::tuning
