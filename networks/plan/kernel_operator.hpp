#pragma once

#include "codegen/operators/operator.hpp"
#include "networks/plan/plan.hpp"

#include <cstddef>

namespace texelscope::networks {

/// Largest difference allowed between a kernel's output and the reference of its nodes, relative to
/// the largest number of the reference.
inline constexpr double kernel_tolerance = 1e-4;

/// A kernel of a plan as an operator of its own, to be studied under any schedule. Its default
/// schedule is the plan's and gives the same nest as in the network. Under another schedule, values
/// lie as that schedule says (A, M, O and P); the dimension that texels pack, and the gaps of zeros
/// that other kernels ask for, stay those of the plan. Its reference is that of the kernel's nodes.
/// The reference throws bad_input for a kernel that makes only a part of a value, that reads one
/// value twice, or that reads numbers which follow from its node, and where the inputs give no
/// finite results. The operator does not refer to the plan.
[[nodiscard]] codegen::Operator kernel_operator(const Plan& plan, std::size_t kernel);

} // namespace texelscope::networks
