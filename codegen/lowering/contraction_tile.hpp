#pragma once

#include "codegen/lowering/contraction_plan.hpp"
#include "codegen/nest/loop_nest.hpp"

namespace texelscope::codegen {

/// Makes the nest of a contraction: the tile of sums of one work-item, the reduction loops around
/// reads and products, and the writes. The caller fills in the texts of the nest and the figures
/// that follow from its statements (registers, operations).
[[nodiscard]] LoopNest contraction_nest(const ContractionPlan& plan);

} // namespace texelscope::codegen
