#pragma once

#include "codegen/operators/operator.hpp"
#include "networks/plan/plan.hpp"

#include <cstddef>

namespace texelscope::networks {

/// Largest difference of a kernel's output from its nodes' references, relative to the largest
/// number of those.
inline constexpr double kernel_tolerance = 1e-4;

/// A kernel of a plan as an operator of its own, to be studied under any schedule. Its default
/// schedule is the plan's, and gives the nest that the network runs. Under another one its values
/// lie as that says (A, M, O and P); what their texels hold, and the gaps of zeros that other
/// kernels ask for, stay the plan's. Its reference is that of the nodes that it computes; it throws
/// bad_input for a kernel that makes a part of a value, reads a value twice or numbers that follow
/// from its node, and where inputs give no numbers. It keeps nothing of the plan.
[[nodiscard]] codegen::Operator kernel_operator(const Plan& plan, std::size_t kernel);

} // namespace texelscope::networks
