#pragma once

#include "networks/plan/plan.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::networks {

/// Whether a value takes the place of another (Graph::carried).
[[nodiscard]] bool is_carried(const Graph& graph, ValueId value);

/// Whether each work-item reads of an input only the elements that it writes of the output
/// afterwards.
[[nodiscard]] bool reads_what_it_writes(const NodeKernel& kernel, std::size_t input);

/// By value: inputs that outlive a run and that kernels read element by element where they write.
/// Such a one lies in a buffer as well as in an image, and in a buffer it is replaced where it
/// lies.
[[nodiscard]] std::vector<bool> read_in_place(const Plan& plan);

/// By value: inputs that outlive a run and that a kernel cannot replace where they lie, as it reads
/// them and they are images, which no kernel reads and writes, or as it reads other elements than
/// it writes. They need a second memory.
[[nodiscard]] std::vector<bool> twins(const Plan& plan);

/// The plan with values that take the place of such inputs made elsewhere, and copied there by a
/// kernel of its own: there is no second memory then. Layouts are lowered anew by the caller.
[[nodiscard]] Plan with_copies_back(Plan plan);

} // namespace texelscope::networks
