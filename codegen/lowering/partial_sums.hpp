#pragma once

#include "codegen/nest/loop_nest.hpp"

#include <vector>

namespace texelscope::codegen {

/// Appends to the epilogue what adds up the sums of the `split` work-items that share a tile, in local memory, as many
/// sums at a time as 16 KB of it hold; afterwards those of part 0 hold the whole. The parts lie along z of the work-group, part 0 first.
void add_partial_sums(LoopNest& nest, const std::vector<ValueId>& sums, std::int32_t split);

} // namespace texelscope::codegen
