#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// What some kernels of a task have in common, and how a judge errs on them: residuals by cause.
struct PhoneResidual {
    std::string trait;        ///< "bound by issued instructions"
    std::int64_t kernels = 0; ///< that have it
    double with = 1;          ///< judged over measured, median of the kernels that have it
    double without = 1;       ///< of the others
};

/// Traits that at least a tenth of the kernels have and a tenth have not, five of each at least,
/// those first whose kernels are judged most unlike the others. `traits`: of each kernel; judged
/// and measured times are positive.
[[nodiscard]] std::vector<PhoneResidual>
residuals_by_trait(const std::vector<std::vector<std::string>>& traits,
                   std::span<const double> judged, std::span<const double> measured);

} // namespace texelscope::experiments
