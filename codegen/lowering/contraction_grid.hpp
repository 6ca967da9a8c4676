#pragma once

#include "codegen/lowering/contraction_layout.hpp"
#include "codegen/nest/work_item_grid.hpp"

#include <array>
#include <vector>

namespace texelscope::codegen {

/// The work-items of a contraction, and what each of them computes.
struct ContractionGrid {
    WorkItemGrid items; ///< with the names of fused dimensions too
    /// Value of each output dimension that is not tiled, by slot; those of other dimensions are not used.
    std::vector<IndexExpr> fixed;
    /// Index along each axis of each element of the tile; empty where the axis has no dimension.
    std::array<std::vector<IndexExpr>, 3> elements;
};

/// Throws bad_input as work_item_grid() does.
[[nodiscard]] ContractionGrid contraction_grid(const Contraction& contraction, const Schedule& schedule,
                                               const ContractionLayout& layout);

} // namespace texelscope::codegen
