#pragma once

#include "base/units.hpp"
#include "model/statistics/boosted_trees.hpp"
#include "model/tmmodel/kernel_cost.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::workbench::tuning {

/// What a correction goes by: the kernel's bottlenecks, launch, registers and access counts.
/// `kernel` has rounds; `predicted` by the bottleneck model.
[[nodiscard]] Eigen::VectorXd correction_features(const ModelKernel& kernel, Nanoseconds predicted);

/// A kernel that ran.
struct CorrectionSample {
    Eigen::VectorXd features; ///< correction_features()
    Nanoseconds predicted{0}; ///< by the bottleneck model
    Nanoseconds measured{0};
};

/// What a device's measured kernels have in common that the bottleneck model leaves out: a factor
/// on its time, from boosted trees fitted to log(measured / predicted) over correction_features().
/// It knows nothing of the operator, so it serves for shapes and operators that were not measured;
/// beyond what the samples cover it stays within the factors that were seen.
class MeasuredCorrection {
public:
    /// Throws bad_input for fewer than 20 samples, or times that are not positive.
    explicit MeasuredCorrection(const std::vector<CorrectionSample>& samples);

    [[nodiscard]] double factor(const Eigen::VectorXd& features) const;

private:
    BoostedTrees trees_;
};

/// Corrected time of each sample from corrections that were fitted without its group (`group[i]`,
/// e.g. a number for operator and shape): groups are dealt out, in the order of their numbers, to
/// so many folds, 2 or more. Throws bad_input where the numbers differ, all are of one fold, or a
/// fold leaves fewer than 20 samples.
[[nodiscard]] std::vector<double> held_out_corrected(const std::vector<CorrectionSample>& samples,
                                                     const std::vector<std::size_t>& group,
                                                     std::size_t folds);

} // namespace texelscope::workbench::tuning
