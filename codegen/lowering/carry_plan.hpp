#pragma once

#include "codegen/lowering/contraction_layout.hpp"
#include "codegen/nest/half_sums.hpp"

#include <cstddef>
#include <cstdint>

namespace texelscope::codegen {

/// Where in the reduction loops sums in half precision are carried into float32.
struct CarryPlan {
    HalfSums sums;
    /// The loop, counted from the outermost; their number: behind all of them, once.
    std::size_t level = 0;
    std::int64_t every = 1; ///< after so many of its iterations, which divide it
};

/// As seldom as HalfSums::most_terms allows. Work-items that share a reduction add up in float32,
/// so that they carry, too.
[[nodiscard]] CarryPlan carry_plan(const ContractionLayout& layout);

} // namespace texelscope::codegen
