#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "model/bottleneck/read_stream.hpp"
#include "sim/options/options.hpp"

namespace texelscope::workbench::study {

/// What bottleneck_cost() needs to know of a kernel, from a nest whose work-groups are single
/// work-items, those that share a tile (R), or groups as they are that copy blocks (S). Of long
/// loops a part is looked at, and its last half stands for the rest.
[[nodiscard]] ReadStream read_stream(const LoopNest& nest, const SimulationOptions& options);

} // namespace texelscope::workbench::study
