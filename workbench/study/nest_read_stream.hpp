#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "model/bottleneck/read_stream.hpp"
#include "sim/options/options.hpp"

namespace texelscope::workbench::study {

/// Collects what bottleneck_cost() needs to know of a kernel's reads. The nest must have reads of
/// images alone (buffers_as_rows() makes rows of buffers images; other reads of buffers are left
/// out), and work-groups of single work-items; where work-items share a tile (R of a schedule), of
/// those that share one; where work-groups copy blocks (S), the work-groups as they are. Of long
/// loops only a part is looked at, and the second half of that part stands for the rest.
[[nodiscard]] ReadStream read_stream(const LoopNest& nest, const SimulationOptions& options);

} // namespace texelscope::workbench::study
