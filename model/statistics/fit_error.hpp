#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::model {

/// Error of a fitted model on a set of samples.
struct FitError {
    double mape = 0; ///< mean absolute percentage error, as a fraction
    /// Coefficient of determination, 1 - (sum of squared errors) / (sum of squares about the mean).
    double r2 = 0;
    double worst = 0; ///< largest absolute percentage error, as a fraction
    std::int64_t samples = 0;
};

/// Errors of `predicted` against `truth`; the two are of one length and truth is positive. Where
/// truth is constant, r2 is 1 for a perfect prediction and 0 for any other. No samples: all zero.
[[nodiscard]] FitError fit_error(std::span<const double> truth, std::span<const double> predicted);

/// Samples that a fit sees, and those kept from it, as indices in ascending order.
struct HoldOut {
    std::vector<std::size_t> training;
    std::vector<std::size_t> held_out;
};
/// Holds out a quarter (rounded down) of `count` samples, chosen by the seed.
[[nodiscard]] HoldOut hold_out_quarter(std::size_t count, std::uint64_t seed);

} // namespace texelscope::model
