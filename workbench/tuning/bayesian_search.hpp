#pragma once

#include "model/statistics/gaussian_process.hpp"
#include "workbench/tuning/search.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace texelscope::workbench::tuning {

/// An element that a search may try, and what is known of it before.
struct SearchCandidate {
    std::int64_t index = 0;
    Nanoseconds expected{0};  ///< positive
    Eigen::VectorXd features; ///< as many for each
    /// Standard deviation of the logarithm of the expected time, as far as it is known; the choice
    /// of the first element goes by it.
    double spread = 0;
};

struct BayesianOptions {
    /// Of the logarithms of time over expected time, over features whose spread is 1 together.
    /// The length is the best of five, from a quarter to 1, on kernels that 39 shapes have on an
    /// H100.
    GaussianProcessOptions process = {.length = 0.5};
    /// The search ends where nothing is left that takes so much less with more than that chance ...
    double gain = 0.01;
    double chance = 0.05;
    std::int64_t least_runs = 16; ///< ... but not before
};

struct BayesianResult {
    SearchResult search;
    /// Probability that a candidate that was not tried takes less by the gain, as far as the
    /// process tells; 0 where all were tried.
    double chance_left = 1;
};

/// Tries what may be best, as an experimenter would (Bayesian optimisation; Jones, Schonlau and
/// Welch 1998). The expected times are the prior. What trials took in their place says, by a
/// Gaussian process over the features, what others will take. Next comes the candidate that is
/// expected to improve on the best by most, in logarithms, times its chance to run, which falls
/// with the trials near it that could not (Gelbart, Snoek and Adams, "Bayesian optimization with
/// unknown constraints", 2014). Where several are asked together, the others are those that would
/// come if each took what is expected (Ginsbourger, Le Riche and Carraro, "Kriging is well-suited
/// to parallelize optimization", 2010); so are those that are told ahead. Deterministic. Throws
/// bad_input for candidates that listed_search() would refuse, for expected times that are not
/// positive, and for features of different lengths.
[[nodiscard]] BayesianResult bayesian_search(const std::vector<SearchCandidate>& candidates,
                                             std::int64_t size, const TimesOf& times_of,
                                             const SearchBudget& budget,
                                             const BayesianOptions& options = {},
                                             const Progress& progress = {},
                                             const StopToken& stop = {});

} // namespace texelscope::workbench::tuning
