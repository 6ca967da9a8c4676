#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "model/bottleneck/bottleneck.hpp"
#include "sim/options/options.hpp"

namespace texelscope::experiments {

/// What bottleneck_cost() needs to know of a kernel, from a nest whose work-groups are single work-items, or `copies_blocks`
/// and they are as they are. Of long loops a part is looked at, and its last half stands for the rest.
[[nodiscard]] ReadStream read_stream(const LoopNest& nest, const SimulationOptions& options,
                                     bool copies_blocks = false);

} // namespace texelscope::experiments
