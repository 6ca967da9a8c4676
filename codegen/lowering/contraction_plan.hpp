#pragma once

#include "codegen/lowering/contraction_layout.hpp"
#include "codegen/lowering/texel_storage.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/work_item_grid.hpp"

#include <array>
#include <vector>

namespace texelscope::codegen {

/// The work-items of a contraction, and what each of them computes.
struct ContractionGrid {
    WorkItemGrid items; ///< with the names of fused dimensions too
    /// Value of each output dimension that is not tiled, by slot; those of other dimensions are not
    /// used.
    std::vector<IndexExpr> fixed;
    /// Index along each axis of each element of the tile; empty where the axis has no dimension.
    std::array<std::vector<IndexExpr>, 3> elements;
};

/// Throws bad_input as work_item_grid() does.
[[nodiscard]] ContractionGrid contraction_grid(const Contraction& contraction,
                                               const Schedule& schedule,
                                               const ContractionLayout& layout);

/// Everything about a contraction under a schedule that its statements are derived from. The
/// contraction and the schedule must outlive it.
struct ContractionPlan {
    const Contraction& contraction;
    const Schedule& schedule;
    ContractionLayout layout;
    ContractionGrid grid;
    std::vector<TexelStorage> storages; ///< of the inputs, then of the output
};

/// Throws bad_input where the tile, the work-group, a tensor's image or a given layout is illegal.
[[nodiscard]] ContractionPlan contraction_plan(const Contraction& contraction,
                                               const Schedule& schedule,
                                               const std::vector<int>& order,
                                               const GivenLayouts& given);

/// One iteration of all reduction loops.
struct ReductionIteration {
    /// Value of each dimension that is not tiled, by slot: in texels for channels that are packed.
    std::vector<IndexExpr> values;
    /// Those channels, one for each component of the texel; else not used.
    std::array<IndexExpr, 4> channels;
};

[[nodiscard]] ReductionIteration reduction_iteration(const ContractionLayout& layout,
                                                     std::vector<IndexExpr> values);

/// Whether terms are products of two factors, and nothing else is said of them.
[[nodiscard]] bool sums_products(const Contraction& contraction);

/// A place of the tile in texels along the vectorised axis, in outputs along the others.
using TexelPlace = std::array<std::int64_t, 3>;

/// Where an input is read for the sums at a place; `step`: the component of a packed texel of
/// channels, for inputs that vary with it.
[[nodiscard]] AccessFunction read_at(const ContractionPlan& plan, std::size_t input,
                                     const ReductionIteration& iteration, const TexelPlace& place,
                                     std::int64_t step);

/// Of an input whose elements are picked out of texels: where the texel of one of them is, and
/// which of its components it is. `component`: of the vector at the place, 0 where there are no
/// vectors.
struct PickedElement {
    AccessFunction access;
    IndexExpr component;
};
[[nodiscard]] PickedElement element_at(const ContractionPlan& plan, std::size_t input,
                                       const ReductionIteration& iteration, const TexelPlace& place,
                                       std::int64_t step, std::int64_t component);

/// Contraction::number at a place. Throws bad_input where it changes along the vectors.
[[nodiscard]] IndexExpr number_at(const ContractionPlan& plan, const ReductionIteration& iteration,
                                  const TexelPlace& place);

/// What has to hold for an input's element to lie inside of its tensor, as far as that is not
/// certain: 0 <= value < bound. Along the dimension that vectors go along it is left out: nobody
/// reads what lies outside there.
[[nodiscard]] std::vector<Guard> inside_at(const ContractionPlan& plan, std::size_t input,
                                           const ReductionIteration& iteration,
                                           const TexelPlace& place);

/// Writes a value where the sums at a place belong, with the guards.
[[nodiscard]] NestWrite write_at(const ContractionPlan& plan, const TexelPlace& place,
                                 NumberExpr value);

} // namespace texelscope::codegen
