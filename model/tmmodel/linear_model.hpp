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

/// The block shapes of a histogram's bins, in order.
[[nodiscard]] std::vector<Extent2D> block_shapes(const CrossBlockHistogram& histogram);

enum class Regression {
    least_squares, ///< minimum-norm least squares (TMModel, section 3.1, step IV)
    ridge,         ///< ridge regression, with the penalty of least cross-validated error
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

/// The thread level of the model (equation 1): L_t(H) = <beta, H>. H has the cross-block counts and
/// one entry that counts the accesses; the weight of the latter is the latency of an access that
/// leaves no block.
struct LinearModel {
    std::vector<Extent2D> shapes;
    std::vector<double> beta; ///< ns / stride: x and y of each shape in turn, then ns / access
    Regression regression = Regression::least_squares;
    double ridge_penalty = 0; ///< of the standardised features; 0 unless ridge
    FitError training;
    FitError held_out; ///< error on samples that the fit never saw

    /// The error of one regression on the training samples, each predicted by a fit that has not
    /// seen it.
    struct CrossValidation {
        Regression regression = Regression::least_squares;
        FitError error;
    };
    std::vector<CrossValidation> cross_validation; ///< of every regression that was tried

    /// The predicted time of the whole sequence of accesses. Least squares and ridge can have
    /// negative weights, and so can predict a negative time far from the walks they were fitted to.
    /// Throws bad_input unless the histogram has the model's block shapes.
    [[nodiscard]] Nanoseconds predict(const CrossBlockHistogram& histogram) const;
};

/// Fits a linear model. Walks are scaled to one access (H / n), so that walks of different length
/// have the same weight. A quarter of the samples, chosen by the seed, is held out. If no
/// regression is given, the one with the least cross-validated MAPE is taken (five folds of the
/// other three quarters); of equal ones the first in all_regressions. Throws bad_input for fewer
/// than 8 samples, a time that is not positive, or histograms of different block shapes.
[[nodiscard]] LinearModel fit_linear_model(const std::vector<WalkSample>& samples,
                                           std::uint64_t seed);
[[nodiscard]] LinearModel fit_linear_model(const std::vector<WalkSample>& samples,
                                           Regression regression, std::uint64_t seed);

/// For each sample, the time of an access predicted by a fit that has not seen it. There are four
/// folds, dealt out by the seed, so that each fit sees three quarters of the samples, as in
/// fit_linear_model(); a ridge penalty is chosen anew for each fold. A time can be negative if a
/// fit has negative weights. Throws bad_input as fit_linear_model() does.
[[nodiscard]] std::vector<Nanoseconds> held_out_times(const std::vector<WalkSample>& samples,
                                                      Regression regression, std::uint64_t seed);

} // namespace texelscope::model
