#pragma once

#include "model/curves/probe_curve.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace texelscope::model {

struct PeriodOptions {
    /// Chance that a straight line with noise shows a period; in (0, 1).
    double false_positives = 0.01;
    double confidence = 0.95; ///< of the interval; in (0, 1)
    /// The fewest treads that the curve must show; at least 3, as one jump is no period.
    std::int64_t treads = 3;
};

/// y = first + rise * (ceil(x / period) - 1), with noise.
struct StaircasePeriod {
    std::int64_t period = 0; ///< the most probable period
    /// Smallest and largest of the probable periods. These are taken in order of their probability
    /// until the probabilities add up to the confidence.
    std::int64_t low = 0;
    std::int64_t high = 0;
    /// Probability of `period`, if all candidates are equally likely a priori.
    double probability = 0;
    double first = 0; ///< y of the first tread
    double rise = 0;  ///< y of each further one; positive
    /// Chance that a straight line with noise shows a period as clear as this.
    double p_value = 1;
};

/// The period of a staircase, such as the time of a kernel over its work-items: it rises where one
/// more wave is needed. Every whole period of 2 and more is fitted by weighted least squares.
///
/// - Whether there is any: a line and a staircase must explain more than a line alone. With the
///   residual sums of squares R1 and R0 and n points, R1 / R0 of a line with noise is Beta((n-3)/2,
///   1/2) distributed, so below a value b with probability at most b^((n-3)/2); times the number of
///   candidates (Bonferroni) that is the p-value. And the staircase must fit better than two lines
///   with a bend, and than a single jump.
/// - Which: the posterior probability of each, proportional to R^(-n/2), R of the staircase alone;
///   as of a change point with flat priors (compare Zellner, An Introduction to Bayesian Inference
///   in Econometrics, 1971).
///
/// Nothing where no period is seen. Throws bad_input as robust_curve() does, where x is not a
/// positive whole number, and for options out of range. Takes time in proportion to points times
/// the largest x.
[[nodiscard]] std::optional<StaircasePeriod> find_period(std::span<const ProbePoint> points,
                                                         const PeriodOptions& options = {});

} // namespace texelscope::model
