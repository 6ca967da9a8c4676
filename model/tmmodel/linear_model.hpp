#pragma once

#include "base/units.hpp"
#include "model/statistics/fit_error.hpp"
#include "sim/observers/cross_block_histogram.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::model {

/// The features of a histogram for one access: the x- and y-bin of each shape in turn, over the
/// number of accesses, then 1 for the access itself. Of length 2 * bins + 1. Throws bad_input for a
/// histogram without accesses.
[[nodiscard]] std::vector<double> per_access_features(const CrossBlockHistogram& histogram);

/// The shapes of its bins, in order.
[[nodiscard]] std::vector<Extent2D> block_shapes(const CrossBlockHistogram& histogram);

enum class Regression {
    least_squares, ///< minimum-norm least squares (TMModel, section 3.1, step IV)
    ridge,         ///< with the penalty of least cross-validated error
    non_negative,  ///< least squares with weights >= 0: no stride makes an access faster
};
inline constexpr std::array all_regressions{Regression::least_squares, Regression::ridge,
                                            Regression::non_negative};

[[nodiscard]] std::string to_string(Regression regression);
/// Throws bad_input for an unknown name.
[[nodiscard]] Regression parse_regression(const std::string& text);

/// One measured walk: its histogram and the time of one access.
struct WalkSample {
    CrossBlockHistogram histogram;
    Nanoseconds per_access{0};
};

/// Thread level (equation 1): L_t(H) = <beta, H>, H the cross-block counts and one entry that
/// counts the accesses, whose weight is the latency of an access that leaves no block.
struct LinearModel {
    std::vector<Extent2D> shapes;
    std::vector<double> beta; ///< ns / stride: x and y of each shape in turn, then ns / access
    Regression regression = Regression::least_squares;
    double ridge_penalty = 0; ///< of the standardised features; 0 unless ridge
    FitError training;
    FitError held_out; ///< on samples that the fit never saw

    /// What a regression reached on the training samples, each predicted by a fit that had not seen
    /// it.
    struct CrossValidation {
        Regression regression = Regression::least_squares;
        FitError error;
    };
    std::vector<CrossValidation> cross_validation; ///< of every regression that was tried

    /// Time of the whole sequence. Least squares and ridge may have negative weights, and so may
    /// give a negative time far from the walks they were fitted to. Throws bad_input unless the
    /// histogram has the model's block shapes.
    [[nodiscard]] Nanoseconds predict(const CrossBlockHistogram& histogram) const;
};

/// Fits per access (H / n), so that walks of different length weigh the same. A quarter of the
/// samples, chosen by the seed, is held out. Without `regression`: the one with the least
/// cross-validated MAPE (five folds of the other three quarters); the first of all_regressions
/// where equal.
/// Throws bad_input for fewer than 8 samples, a time that is not positive, or histograms of
/// different block shapes.
[[nodiscard]] LinearModel fit_linear_model(const std::vector<WalkSample>& samples,
                                           std::uint64_t seed);
[[nodiscard]] LinearModel fit_linear_model(const std::vector<WalkSample>& samples,
                                           Regression regression, std::uint64_t seed);

/// Time of an access of each sample as a fit predicts it that has not seen it: four folds, dealt
/// out by the seed, so that each of the fits sees three quarters of the samples, as
/// fit_linear_model() does; a ridge penalty is chosen anew for each. May be negative where a fit's
/// weights are. Throws bad_input as fit_linear_model() does.
[[nodiscard]] std::vector<Nanoseconds> held_out_times(const std::vector<WalkSample>& samples,
                                                      Regression regression, std::uint64_t seed);

} // namespace texelscope::model
