#pragma once

#include "base/layers.hpp"

#include <optional>
#include <span>

namespace texelscope::experiments {

/// The constant c >= 0 of least sum of |(judged + c) / measured - 1|: the copies of the inputs into
/// images, which are in every measured time of a task. The lists are of one length and not empty;
/// measured times are positive.
[[nodiscard]] double added_constant(std::span<const double> judged,
                                    std::span<const double> measured);

/// The factor f of least sum of |f * judged / measured - 1|, for judges without a unit. All numbers
/// are positive.
[[nodiscard]] double fitted_factor(std::span<const double> judged,
                                   std::span<const double> measured);

/// How well a judge does on the kernels of one task.
struct PhoneAgreement {
    std::optional<double> tau; ///< Kendall's tau-b
    double choice = 1;         ///< measured time of its first choice over the best
    double ten = 1;            ///< of the best of its first ten over the best
    double error = 0;          ///< median of |judged / measured - 1|
};

/// Of times in ns: the error is after added_constant().
[[nodiscard]] PhoneAgreement agreement_of_times(std::span<const double> judged,
                                                std::span<const double> measured);
/// Of numbers without a unit: the error is after fitted_factor().
[[nodiscard]] PhoneAgreement agreement_of_counts(std::span<const double> judged,
                                                 std::span<const double> measured);

} // namespace texelscope::experiments
