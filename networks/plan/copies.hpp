#pragma once

#include "networks/plan/plan.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::networks {

/// The kernel that stores `from` as `to`: the same numbers, texels that hold neighbours along
/// `packed` (-1: single numbers).
[[nodiscard]] NodeKernel conversion_kernel(const Graph& graph, ValueId from, ValueId to,
                                           int packed);

/// A value that some of its readers read from a copy, so that it can lie otherwise for them.
struct ValueCopy {
    ValueId value = no_value;
    std::vector<std::size_t> readers; ///< kernels of the plan, ascending
};

/// The plan with a conversion before the first of each copy's readers. What the copies have in
/// common with the values, layouts and storage, stays until somebody changes it; the nests are not
/// lowered.
[[nodiscard]] Plan with_copies(Plan plan, std::vector<ValueCopy> copies);

} // namespace texelscope::networks
