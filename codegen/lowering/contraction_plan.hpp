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
    WorkItemGrid items; ///< the grid, with names for the fused dimensions
    /// By slot, the value of each output dimension that is not tiled. Entries of other dimensions
    /// are not used.
    std::vector<IndexExpr> fixed;
    /// For each axis, the index of each element of the tile along it. Empty where the axis has no
    /// dimension.
    std::array<std::vector<IndexExpr>, 3> elements;
};

/// Makes the grid of a contraction. Throws bad_input as work_item_grid() does.
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
    std::vector<TexelStorage> storages; ///< where the inputs lie, then the output
};

/// Makes the plan. Throws bad_input where the tile, the work-group, a tensor's image or a given
/// layout is illegal.
[[nodiscard]] ContractionPlan contraction_plan(const Contraction& contraction,
                                               const Schedule& schedule,
                                               const std::vector<OrderedLoop>& order,
                                               const GivenLayouts& given);

/// One iteration of all reduction loops together: a point in the space of reduction dimensions.
struct ReductionIteration {
    /// By slot, the value of each dimension that is not tiled. Channels that are packed count in
    /// texels.
    std::vector<IndexExpr> values;
    /// If channels are packed: the channel of each component of the texel.
    std::array<IndexExpr, 4> channels;
};

[[nodiscard]] ReductionIteration reduction_iteration(const ContractionLayout& layout,
                                                     std::vector<IndexExpr> values);

/// Whether the contraction is a plain sum of products of two factors.
[[nodiscard]] bool sums_products(const Contraction& contraction);

/// A place of the tile that counts texels along the vectorised axis, and outputs along the others.
/// (SumTile::Place counts vectors, which may span several texels.)
using TexelPlace = std::array<std::int64_t, 3>;

/// Where an input is read for the sums at a place. `step` is the component within a packed texel of
/// channels; it matters for inputs that vary with it.
[[nodiscard]] AccessFunction read_at(const ContractionPlan& plan, std::size_t input,
                                     const ReductionIteration& iteration, const TexelPlace& place,
                                     std::int64_t step);

/// One element of an input whose elements are picked out of texels: the texel that holds it, and
/// the component there.
struct PickedElement {
    AccessFunction access;
    IndexExpr component;
};
/// The element that component `component` of the vector at a place needs; 0 where there are no
/// vectors.
[[nodiscard]] PickedElement element_at(const ContractionPlan& plan, std::size_t input,
                                       const ReductionIteration& iteration, const TexelPlace& place,
                                       std::int64_t step, std::int64_t component);

/// Contraction::number at a place. Throws bad_input where it changes along the vectors.
[[nodiscard]] IndexExpr number_at(const ContractionPlan& plan, const ReductionIteration& iteration,
                                  const TexelPlace& place);

/// The conditions (0 <= value < bound) under which an input's element lies inside of its tensor;
/// conditions that always hold are left out. There is none for the dimension that vectors go along,
/// because results beyond its end are not used.
[[nodiscard]] std::vector<Guard> inside_at(const ContractionPlan& plan, std::size_t input,
                                           const ReductionIteration& iteration,
                                           const TexelPlace& place);

/// The statement that writes a value to the output's texel of a place, with the guards that this
/// write needs.
[[nodiscard]] NestWrite write_at(const ContractionPlan& plan, const TexelPlace& place,
                                 NumberExpr value);

} // namespace texelscope::codegen
