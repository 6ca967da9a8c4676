#pragma once

#include "sim/cross_block_histogram.hpp"
#include "traces/units.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope {

/// Error of a fitted model on a set of samples.
struct FitError {
    double mape = 0;  ///< mean absolute percentage error, as a fraction
    double r2 = 0;    ///< coefficient of determination
    double worst = 0; ///< largest absolute percentage error, as a fraction
    std::int64_t samples = 0;
};

enum class Regression {
    least_squares, ///< minimum-norm least squares (the paper)
    ridge,
    non_negative, ///< least squares with weights >= 0
};
[[nodiscard]] std::string to_string(Regression regression);

/// One measured walk: its histogram and the time of one access.
struct WalkSample {
    CrossBlockHistogram histogram;
    Nanoseconds per_access{0};
};

/// Thread level (equation 1): L_t(H) = <beta, H>, H the cross-block counts and one entry that counts the accesses.
struct LinearModel {
    std::vector<Extent2D> shapes;
    std::vector<double> beta; ///< ns / stride: x and y of each shape in turn, then ns / access
    Regression regression = Regression::least_squares;
    FitError training;
    FitError held_out; ///< on samples that the fit never saw

    /// Time of the whole sequence.
    [[nodiscard]] Nanoseconds predict(const CrossBlockHistogram& histogram) const;
};

/// Fits per access (H / n), so that walks of different length weigh the same. A quarter of the samples, chosen by the
/// seed, is held out. `choice` empty: the regression with the least cross-validated error on the other three quarters.
/// Throws bad_input for fewer than 8 samples.
[[nodiscard]] LinearModel fit_linear_model(const std::vector<WalkSample>& samples, std::uint64_t seed);
[[nodiscard]] LinearModel fit_linear_model(const std::vector<WalkSample>& samples, Regression regression,
                                           std::uint64_t seed);

} // namespace texelscope
