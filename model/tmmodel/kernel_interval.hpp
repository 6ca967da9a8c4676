#pragma once

#include "model/tmmodel/held_out_errors.hpp"
#include "model/tmmodel/kernel_cost.hpp"

#include <limits>
#include <optional>

namespace texelscope::model {

/// The probability for which intervals are shown.
inline constexpr double interval_level = 0.9;

/// A range in which the time of a kernel lies with probability `level`, judged by the model's
/// errors on held-out walks.
struct KernelInterval {
    double level = interval_level;
    Nanoseconds low{0};
    Nanoseconds high{std::numeric_limits<double>::infinity()}; ///< infinite if there is no bound
    /// The strides of some image lie outside of what was calibrated, or the linear model predicts a
    /// time that is not positive for them. Then low is 0 and high is infinite.
    bool outside = false;

    [[nodiscard]] bool bounded() const
    {
        return high.value < std::numeric_limits<double>::infinity();
    }
};

/// Computes intervals for predictions of one calibration.
///
/// If the time L_t of each of the m images is within a factor exp(b_i) of its prediction with a
/// probability of 1 - (1 - level) / m (HeldOutErrors::bound()), then all are at once with `level`
/// (Bonferroni), and
///   f sum_i L_t,i exp(-b_i) <= L <= f sum_i L_t,i exp(b_i),  f = D^exponent L_g.
/// The factor f is taken as exact. The interval thus accounts for the errors of walks only: not for
/// errors of D, of the occupancy and of L_g, not for what the model leaves out, and not for kernels
/// that read otherwise than walks do.
class KernelIntervals {
public:
    /// Throws bad_input as HeldOutErrors does. A calibration without held-out times gives no
    /// intervals.
    explicit KernelIntervals(const Calibration& calibration);

    /// The interval around `cost`, which predict() gave for the same kernel and variant. Nothing if
    /// the prediction does not rest on calibration (variant bottleneck, or a kernel without images)
    /// or if held-out times are missing.
    /// Throws bad_input for other block shapes than the calibration's.
    [[nodiscard]] std::optional<KernelInterval> of(const ModelKernel& kernel,
                                                   const KernelCost& cost, ModelVariant variant,
                                                   double level = interval_level) const;

private:
    std::optional<HeldOutErrors> thread_;
    std::optional<HeldOutErrors> reuse_thread_;
};

} // namespace texelscope::model
