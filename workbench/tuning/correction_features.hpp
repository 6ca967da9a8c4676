#pragma once

#include "base/units.hpp"
#include "codegen/nest/schedule.hpp"
#include "model/tmmodel/kernel_cost.hpp"

#include <Eigen/Core>

namespace texelscope::workbench::tuning {

/// A kernel as a vector of numbers, of the same length for every operator: what the time that a
/// device takes may have to do with, beside the bottleneck model's. First how much of the predicted
/// time each bound has, and sizes of launch and reads as logarithms; then the parts of the
/// schedule. `kernel` has rounds (bottleneck_kernel()); `predicted` by the bottleneck model.
[[nodiscard]] Eigen::VectorXd correction_features(const Schedule& schedule,
                                                  const ModelKernel& kernel, Nanoseconds predicted);

} // namespace texelscope::workbench::tuning
