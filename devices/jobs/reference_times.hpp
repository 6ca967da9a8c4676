#pragma once

#include "base/layers.hpp"

#include <span>

namespace texelscope::devices {

/// What the reference kernel took around the samples of a job (JobResult::reference_ns). Its time
/// is inversely proportional to the clock of the device's cores, whatever the job does.
struct ReferenceTimes {
    double median_ns = 0; ///< 0: there was no reference kernel
    /// The longest over the shortest, without a fifth of them at either end, so that a kernel of
    /// somebody else that comes between does not count.
    double spread = 1;

    /// Times that are not further apart than this are of one clock.
    static constexpr double one_clock = 1.08;

    [[nodiscard]] bool told() const { return median_ns > 0; }
    /// Whether the clock stayed the same, as far as it was told.
    [[nodiscard]] bool steady() const { return spread <= one_clock; }

    bool operator==(const ReferenceTimes&) const = default;
};

[[nodiscard]] ReferenceTimes reference_times(std::span<const double> reference_ns);

} // namespace texelscope::devices
