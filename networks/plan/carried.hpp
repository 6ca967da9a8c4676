#pragma once

#include "networks/plan/plan.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::networks {

/// Whether a value takes the place of an input for the next run (Graph::carried).
[[nodiscard]] bool is_carried(const Graph& graph, ValueId value);

/// Whether each work-item reads only those elements of the input that it later writes of the
/// output. If so, the kernel can overwrite the input in place.
[[nodiscard]] bool reads_what_it_writes(const NodeKernel& kernel, std::size_t input);

/// By value: whether it is a carried input that kernels read element by element where they write.
/// Such an input can lie in a buffer as well as in an image, and in a buffer it can be replaced in
/// place.
[[nodiscard]] std::vector<bool> read_in_place(const Plan& plan);

/// By value: whether it is a carried input that cannot be replaced in place and so needs a second
/// memory. That is so if the kernel that makes the new value also reads the input, and either the
/// input is an image (no kernel may read and write one image) or the kernel reads other elements
/// than it writes.
[[nodiscard]] std::vector<bool> twins(const Plan& plan);

/// Returns the plan without second memories: a value that would need one is made elsewhere, and a
/// kernel of its own copies it into the input's place. The caller must call lower().
[[nodiscard]] Plan with_copies_back(Plan plan);

} // namespace texelscope::networks
