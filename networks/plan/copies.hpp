#pragma once

#include "networks/plan/plan.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::networks {

/// The kernel that copies the value `from` to `to`, in texels that hold neighbours along the
/// dimension `packed` (-1: single numbers).
[[nodiscard]] NodeKernel conversion_kernel(const Graph& graph, ValueId from, ValueId to,
                                           int packed);

/// A copy of a value for some of its readers, so that it can have another layout for them.
struct ValueCopy {
    ValueId value = no_value;
    /// Numbers of the plan's kernels that read the copy, ascending.
    std::vector<std::size_t> readers;
};

/// Returns the plan with a conversion kernel in front of the first reader of each copy. A copy
/// starts with the layout and storage of its value; the caller changes these and then calls
/// lower().
[[nodiscard]] Plan with_copies(Plan plan, std::vector<ValueCopy> copies);

} // namespace texelscope::networks
