#pragma once

#include "model/tmmodel/held_out_errors.hpp"
#include "model/tmmodel/kernel_cost.hpp"

#include <limits>
#include <optional>

namespace texelscope::model {

/// The level of the intervals that are shown.
inline constexpr double interval_level = 0.9;

/// Where the time of a kernel lies, as far as the errors of held-out walks tell.
struct KernelInterval {
    double level = interval_level;
    Nanoseconds low{0};
    Nanoseconds high{std::numeric_limits<double>::infinity()}; ///< infinite where there is no bound
    /// The strides of an image lie outside of what was calibrated, or the linear model gives them a
    /// time that is not positive: low is 0 and high infinite.
    bool outside = false;

    [[nodiscard]] bool bounded() const
    {
        return high.value < std::numeric_limits<double>::infinity();
    }
};

/// Intervals of predictions by one calibration.
///
/// If the time L_t of each of the m images is within a factor exp(b_i) of its prediction with a
/// probability of 1 - (1 - level) / m (HeldOutErrors::bound()), then all are at once with `level`
/// (Bonferroni), and
///   f sum_i L_t,i exp(-b_i) <= L <= f sum_i L_t,i exp(b_i),  f = D^exponent L_g.
/// f is taken as exact: the interval has the errors of walks in it, and neither those of D, of
/// occupancy and of L_g, nor what the model leaves out, nor that kernels read otherwise than walks
/// do.
class KernelIntervals {
public:
    /// Throws bad_input as HeldOutErrors does. A calibration without held-out times gives no
    /// intervals.
    explicit KernelIntervals(const Calibration& calibration);

    /// `cost` is predict()'s of the same kernel and variant. Nothing where the variant rests on
    /// nothing calibrated (bottleneck; a kernel without images) or held-out times are missing.
    /// Throws bad_input for other block shapes than the calibration's.
    [[nodiscard]] std::optional<KernelInterval> of(const ModelKernel& kernel,
                                                   const KernelCost& cost, ModelVariant variant,
                                                   double level = interval_level) const;

private:
    std::optional<HeldOutErrors> thread_;
    std::optional<HeldOutErrors> reuse_thread_;
};

} // namespace texelscope::model
