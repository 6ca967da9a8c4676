#pragma once

#include "base/stop.hpp"
#include "base/units.hpp"
#include "model/statistics/boosted_trees.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::workbench::tuning {

/// A kernel that ran.
struct CorrectionSample {
    Eigen::VectorXd features; ///< correction_features()
    Nanoseconds predicted{0}; ///< by the bottleneck model
    Nanoseconds measured{0};
    std::size_t shape = 0; ///< a number for its operator and shape
};

/// A factor on the time that the bottleneck model predicts.
struct Correction {
    double factor = 1;
    double spread = 0; ///< standard deviation of its logarithm over the trees' draws
};

/// What a device's measured kernels have in common that the bottleneck model leaves out: a factor
/// on its time, from boosted trees fitted to log(measured / predicted) over correction_features().
/// Eight sums of trees, each grown on other draws of samples and features, give their mean; where
/// they differ, the samples say little.
/// What all kernels of a shape have in common (the median of its logarithms, less the mean of
/// these) is taken out before, since it says nothing of which kernel is the fastest. The correction
/// knows nothing of the operator, so it serves for shapes and operators that were not measured;
/// beyond what the samples cover it stays within the factors that were seen.
class MeasuredCorrection {
public:
    /// From fewer samples the trees would only learn their noise.
    static constexpr std::size_t fewest = 20;

    /// Throws bad_input for fewer samples than that, or times that are not positive, and
    /// Interrupted.
    explicit MeasuredCorrection(const std::vector<CorrectionSample>& samples,
                                const StopToken& stop = {});

    [[nodiscard]] Correction at(const Eigen::VectorXd& features) const;

private:
    std::vector<BoostedTrees> sums_;
};

/// Corrected time of each sample from corrections that were fitted without its shape: shapes are
/// dealt out, in the order of their numbers, to so many folds, 2 or more. Throws bad_input where
/// all are of one fold, or a fold leaves fewer than 20 samples.
[[nodiscard]] std::vector<double> held_out_corrected(const std::vector<CorrectionSample>& samples,
                                                     std::size_t folds);

} // namespace texelscope::workbench::tuning
