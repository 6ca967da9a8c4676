#pragma once

#include "base/layers.hpp"

#include <optional>
#include <span>

namespace texelscope::experiments {

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
