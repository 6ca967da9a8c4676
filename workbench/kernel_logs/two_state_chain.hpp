#pragma once

#include "base/layers.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace texelscope::workbench::kernel_logs {

/// Kernels of one task in the order in which they were measured, for a machine that may have been
/// at either of two clocks.
struct ChainSamples {
    Eigen::MatrixXd features; ///< a row for each; the last column is constant
    Eigen::VectorXd log_time;
    std::vector<std::size_t> begins; ///< places at which a session begins, 0 the first; ascending
    /// Evidence from elsewhere that a sample is at the slow clock: the logarithm of its odds.
    Eigen::VectorXd log_odds;
};

/// A regression of log time in which the slow clock adds a constant, and the clock is a hidden
/// chain of two states: it stays from one sample to the next but for a small chance, and each
/// session begins anew.
///     log_time = features beta + shift * slow + noise
/// The noise is normal, with a share of outliers that tell nothing of the clock.
struct ChainFit {
    Eigen::VectorXd slow; ///< of each sample, the chance that it is at the slow clock
    double shift = 0;     ///< log of how much longer the slow clock takes
    double noise = 0;     ///< standard deviation
    double flip = 0;      ///< chance that the clock changes from a sample to the next
    double log_likelihood = 0;
    /// The likelihood of the same regression with one clock alone.
    double one_clock_log_likelihood = 0;

    /// Whether two clocks explain the samples so much better than one that it cannot be chance: by
    /// the Bayesian information criterion of three more parameters, and ten beyond.
    [[nodiscard]] bool two_clocks() const;
};

/// What a shift can be.
struct ShiftRange {
    double least = 0.53; ///< 1.7 times as long
    double most = 1.28;  ///< 3.6 times
};

/// The best fit of expectation maximisation from several starts. Needs at least 20 samples; throws
/// bad_input where there are fewer, or as model::ridge() does. Deterministic.
[[nodiscard]] ChainFit fit_chain(const ChainSamples& samples, const ShiftRange& range = {});

} // namespace texelscope::workbench::kernel_logs
