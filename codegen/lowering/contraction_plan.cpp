#include "codegen/lowering/contraction_plan.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace texelscope::codegen {
namespace {

/// By slot, the value of every dimension.
using Coordinates = std::vector<const IndexExpr*>;

/// The values of all dimensions at a place of the tile: `values` for those that are not tiled, and
/// the place for the others. Along the vectorised axis it is the value of the texel's component
/// `component`.
Coordinates point(const ContractionPlan& plan, const std::vector<IndexExpr>& values,
                  const TexelPlace& place, std::int64_t component = 0)
{
    const SumTile& tile = plan.layout.tile;
    Coordinates point(values.size());
    for (std::size_t slot = 0; slot < values.size(); ++slot) {
        point[slot] = &values[slot];
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (tile.dims[axis] >= 0) {
            const bool vector = static_cast<int>(axis) == tile.vector_axis;
            const std::int64_t element =
                vector ? place[axis] * ContractionLayout::components + component : place[axis];
            point[static_cast<std::size_t>(tile.dims[axis])] =
                &plan.grid.elements[axis][static_cast<std::size_t>(element)];
        }
    }
    return point;
}

/// Replaces all dimensions of an index at once. One after the other would be wrong, because slots
/// of dimensions coincide with those of work-item ids and loops, which occur in the values.
IndexExpr at_point(const IndexExpr& index, const Coordinates& point)
{
    const auto value = [&](const Variable& dim) -> const IndexExpr& {
        return *point[static_cast<std::size_t>(dim.slot)];
    };
    const Variable* alone = index.as_variable();
    return alone != nullptr ? value(*alone) : index.replace(value);
}

/// The index of an element of a tile along an axis. `turns` tiles share as many times `size`
/// elements, and take them in turns of `turn`.
IndexExpr element_of(const IndexExpr& tile, std::int64_t element, std::int64_t size,
                     std::int64_t turns, std::int64_t turn)
{
    if (turns == 1) {
        return tile * size + element;
    }
    return floor_div(tile, turns) * (turns * size) + mod(tile, turns) * turn +
           (element / turn * turns * turn + element % turn);
}

} // namespace

ContractionGrid contraction_grid(const Contraction& contraction, const Schedule& schedule,
                                 const ContractionLayout& layout)
{
    const SumTile& tile = layout.tile;
    std::array<std::int64_t, 3> tiles{1, 1, 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (tile.dims[axis] >= 0) {
            // all tiles of `together` take part, so that there is no guard among them
            const std::int64_t step = tile.sizes[axis] * layout.together[axis];
            tiles[axis] =
                ceil_div(contraction.dim(tile.dims[axis]).extent(), step) * layout.together[axis];
        } else {
            tiles[axis] = layout.together[axis];
        }
    }
    const std::int64_t last = tiles[2];
    for (std::size_t i = 0; i + 1 < contraction.z.size(); ++i) {
        tiles[2] *= contraction.dim(contraction.z[i]).extent();
    }
    ContractionGrid grid;
    grid.items = work_item_grid(schedule, tiles);
    grid.fixed.resize(contraction.dims.size());
    std::array<IndexExpr, 3> number = grid.items.tile;

    // Splits the index along z into the fused dimensions, from the innermost, which is tiled, to
    // the outermost.
    IndexExpr rest = grid.items.tile[2];
    for (std::size_t i = contraction.z.size(); i-- > 0;) {
        const bool tiled = i + 1 == contraction.z.size();
        const Variable& fused = contraction.dim(contraction.z[i]);
        const std::int64_t count = tiled ? last : fused.extent();
        IndexExpr digit = i == 0 ? rest : mod(rest, count);
        rest = floor_div(rest, count);
        if (!digit.is_constant() && digit != grid.items.tile[2]) {
            const Variable variable{LoopNest::first_named_slot + 4 + static_cast<int>(i),
                                    tiled && tile.sizes[2] > 1 ? fused.name + "_tile" : fused.name,
                                    digit.bounds()};
            grid.items.names.push_back({variable, digit});
            digit = IndexExpr(variable);
        }
        if (tiled) {
            number[2] = digit;
        } else {
            grid.fixed[static_cast<std::size_t>(fused.slot)] = digit;
        }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::int64_t element = 0; element < tile.sizes[axis] && tile.dims[axis] >= 0;
             ++element) {
            grid.elements[axis].push_back(element_of(number[axis], element, tile.sizes[axis],
                                                     tile.turns[axis], tile.turn[axis]));
        }
    }
    return grid;
}

ContractionPlan contraction_plan(const Contraction& contraction, const Schedule& schedule,
                                 const std::vector<OrderedLoop>& order, const GivenLayouts& given)
{
    ContractionLayout layout = contraction_layout(contraction, schedule, order, given);
    ContractionGrid grid = contraction_grid(contraction, schedule, layout);
    std::vector<TexelStorage> storages = texel_storages(contraction, schedule, layout, given);
    return {contraction, schedule, std::move(layout), std::move(grid), std::move(storages)};
}

ReductionIteration reduction_iteration(const ContractionLayout& layout,
                                       std::vector<IndexExpr> values)
{
    ReductionIteration iteration{std::move(values), {}};
    if (layout.channels_packed) {
        const IndexExpr first = iteration.values[static_cast<std::size_t>(layout.channels)] *
                                ContractionLayout::components;
        for (std::size_t step = 0; step < iteration.channels.size(); ++step) {
            iteration.channels[step] = first + static_cast<std::int64_t>(step);
        }
    }
    return iteration;
}

namespace {

/// The index of an input's element along each dimension of its tensor.
std::vector<IndexExpr> elements_at(const ContractionPlan& plan, std::size_t input,
                                   const ReductionIteration& iteration, const TexelPlace& place,
                                   std::int64_t step, std::int64_t component)
{
    Coordinates values = point(plan, iteration.values, place, component);
    if (plan.layout.channels_packed) {
        values[static_cast<std::size_t>(plan.layout.channels)] =
            &iteration.channels[static_cast<std::size_t>(step)];
    }
    std::vector<IndexExpr> elements;
    elements.reserve(values.size());
    for (const IndexExpr& index : plan.contraction.inputs[input].index) {
        elements.push_back(at_point(index, values));
    }
    return elements;
}

AccessFunction texel_at(const ContractionPlan& plan, std::size_t input,
                        std::vector<IndexExpr> elements)
{
    const TexelStorage& storage = plan.storages[input];
    for (std::size_t d = 0; d < elements.size(); ++d) {
        elements[d] = storage.texel_index(d, std::move(elements[d]));
    }
    Placement at = storage.at(std::move(elements));
    return {static_cast<int>(input), std::move(at.x), std::move(at.y)};
}

} // namespace

AccessFunction read_at(const ContractionPlan& plan, std::size_t input,
                       const ReductionIteration& iteration, const TexelPlace& place,
                       std::int64_t step)
{
    return texel_at(plan, input, elements_at(plan, input, iteration, place, step, 0));
}

PickedElement element_at(const ContractionPlan& plan, std::size_t input,
                         const ReductionIteration& iteration, const TexelPlace& place,
                         std::int64_t step, std::int64_t component)
{
    std::vector<IndexExpr> elements = elements_at(plan, input, iteration, place, step, component);
    const int packed = plan.layout.inputs[input].packed;
    IndexExpr picked =
        packed < 0 ? IndexExpr(0)
                   : mod(elements[static_cast<std::size_t>(packed)], ContractionLayout::components);
    return {texel_at(plan, input, std::move(elements)), std::move(picked)};
}

bool sums_products(const Contraction& contraction)
{
    return contraction.factors == 2 && contraction.term.is_argument(0);
}

IndexExpr number_at(const ContractionPlan& plan, const ReductionIteration& iteration,
                    const TexelPlace& place)
{
    const IndexExpr first =
        at_point(*plan.contraction.number, point(plan, iteration.values, place));
    const SumTile& tile = plan.layout.tile;
    if (tile.has_vectors()) {
        const int along = tile.dims[static_cast<std::size_t>(tile.vector_axis)];
        if (plan.contraction.number->uses_slots(along, along + 1)) {
            throw bad_input("the terms of a vector have different numbers", plan.contraction.kernel,
                            "give another dimension a tile that is a multiple of four");
        }
    }
    return first;
}

std::vector<Guard> inside_at(const ContractionPlan& plan, std::size_t input,
                             const ReductionIteration& iteration, const TexelPlace& place)
{
    const ContractionLayout::Input& layout = plan.layout.inputs[input];
    const std::vector<IndexExpr> elements = elements_at(plan, input, iteration, place, 0, 0);
    std::vector<Guard> guards;
    for (std::size_t d = 0; d < elements.size(); ++d) {
        const std::int64_t size = plan.contraction.inputs[input].tensor.shape[d];
        const Range bounds = elements[d].bounds();
        const bool along = layout.packs == ContractionLayout::Packs::vector &&
                           static_cast<int>(d) == layout.packed;
        if (!along && (bounds.min < 0 || bounds.max >= size)) {
            guards.push_back({elements[d], size});
        }
    }
    return guards;
}

NestWrite write_at(const ContractionPlan& plan, const TexelPlace& place, NumberExpr value)
{
    const Coordinates values = point(plan, plan.grid.fixed, place);
    const std::vector<IndexExpr>& index = plan.contraction.output_index;
    const TexelStorage& storage = plan.storages.back();
    NestWrite write{.x = {}, .y = {}, .guards = {}, .value = std::move(value)};
    write.guards.reserve(index.size() + 1);
    std::vector<IndexExpr> texel;
    texel.reserve(index.size());
    for (std::size_t d = 0; d < index.size(); ++d) {
        const IndexExpr element = at_point(index[d], values);
        texel.push_back(storage.texel_index(d, element));
        const std::optional<WrittenDim> part = written_dim(index[d]);
        const std::int64_t whole = plan.contraction.output.shape[d];
        // the part of the tensor behind this one is made by another kernel
        if (part && plan.contraction.dim(part->slot).extent() < whole) {
            const Variable& dim = plan.contraction.dim(part->slot);
            const bool packed = storage.layout().packed == static_cast<int>(d);
            write.guards.push_back(
                {storage.texel_index(d, element + -part->offset),
                 ceil_div(dim.extent(), packed ? ContractionLayout::components : 1)});
        } else {
            write.guards.push_back({texel.back(), storage.texels(d)});
        }
    }
    if (plan.schedule.split > 1) {
        write.guards.push_back({plan.grid.items.part, 1}); // part 0 holds the whole sum
    }
    // A tile may reach beyond the end of a dimension that is only a part of an index (a phase). The
    // places there belong to another work-item, so that the write needs a guard.
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const int slot = plan.layout.tile.dims[axis];
        const bool alone = std::ranges::any_of(index, [slot](const IndexExpr& each) {
            const std::optional<WrittenDim> part = written_dim(each);
            return part && part->slot == slot;
        });
        if (slot >= 0 && !alone) {
            const std::int64_t extent = plan.contraction.dim(slot).extent();
            const IndexExpr& element =
                plan.grid.elements[axis][static_cast<std::size_t>(place[axis])];
            if (element.bounds().max >= extent) {
                write.guards.push_back({element, extent});
            }
        }
    }
    Placement at = storage.at(std::move(texel));
    write.x = std::move(at.x);
    write.y = std::move(at.y);
    return write;
}

} // namespace texelscope::codegen
