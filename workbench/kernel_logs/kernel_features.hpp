#pragma once

#include "workbench/kernel_logs/logged_kernel.hpp"

#include <Eigen/Core>

#include <vector>

namespace texelscope::workbench::kernel_logs {

/// Features of kernels of one task, a row for each kernel, for regressions of the logarithm of
/// their time. Logarithms of: texel reads, multiply-adds, groups, work-items of a group, outputs of
/// a work-item, iterations written out, a work-item's texels along channels, columns and rows, and
/// a group's work-items along them; the squares of those of a group's work-items and a work-item's
/// outputs, which have a best size between; whether a group is a whole number of 64 work-items;
/// whether TVM itself writes iterations out, by itself and times their logarithm. The last column
/// is 1.
[[nodiscard]] Eigen::MatrixXd kernel_features(const std::vector<KernelCounts>& kernels);

} // namespace texelscope::workbench::kernel_logs
