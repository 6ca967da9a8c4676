#pragma once

#include "codegen/lowering/contraction_layout.hpp"
#include "codegen/nest/half_sums.hpp"

#include <cstddef>
#include <cstdint>

namespace texelscope::codegen {

/// Where in the reduction loops the sums in half precision are carried into float32 (HalfSums).
struct CarryPlan {
    HalfSums sums;
    /// The loop in which sums are carried, counted from the outermost. If it equals the number of
    /// loops, sums are carried once, behind all loops.
    std::size_t level = 0;
    /// Sums are carried after so many iterations of that loop; it divides their number.
    std::int64_t every = 1;
};

/// Chooses the place so that sums are carried as seldom as HalfSums::most_terms allows. Where
/// work-items share a reduction, sums are always carried, because the work-items join them in
/// float32. With `fp16` sums they are never carried.
[[nodiscard]] CarryPlan carry_plan(const ContractionLayout& layout, Sums sums);

} // namespace texelscope::codegen
