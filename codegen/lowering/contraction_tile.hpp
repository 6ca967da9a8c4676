#pragma once

#include "codegen/lowering/contraction_plan.hpp"
#include "codegen/nest/loop_nest.hpp"

namespace texelscope::codegen {

/// The nest of a contraction: the tile of sums of one work-item, the reduction loops around the
/// reads and products, and the writes. The header's texts and the figures that follow from the
/// statements are left to the caller.
[[nodiscard]] LoopNest contraction_nest(const ContractionPlan& plan);

} // namespace texelscope::codegen
