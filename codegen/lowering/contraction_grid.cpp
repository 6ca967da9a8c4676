#include "codegen/lowering/contraction_grid.hpp"

namespace texelscope::codegen {

ContractionGrid contraction_grid(const Contraction& contraction, const Schedule& schedule,
                                 const ContractionLayout& layout)
{
    const SumTile& tile = layout.tile;
    std::array<std::int64_t, 3> tiles{1, 1, 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (tile.dims[axis] >= 0) {
            tiles[axis] = ceil_div(contraction.dim(tile.dims[axis]).extent(), tile.sizes[axis]);
        }
    }
    const std::int64_t last = tiles[2];
    for (std::size_t axis = 0; axis < 2; ++axis) {
        tiles[axis] = ceil_div(tiles[axis], layout.together[axis]) * layout.together[axis]; // no guard keeps one away
    }
    for (std::size_t i = 0; i + 1 < contraction.z.size(); ++i) {
        tiles[2] *= contraction.dim(contraction.z[i]).extent();
    }
    ContractionGrid grid;
    grid.items = work_item_grid(schedule, tiles);
    grid.fixed.resize(contraction.dims.size());
    std::array<IndexExpr, 3> number = grid.items.tile;

    // The fused dimensions from the innermost, which is tiled, to the outermost.
    IndexExpr rest = grid.items.tile[2];
    for (std::size_t i = contraction.z.size(); i-- > 0;) {
        const bool tiled = i + 1 == contraction.z.size();
        const Variable& fused = contraction.dim(contraction.z[i]);
        const std::int64_t count = tiled ? last : fused.extent();
        IndexExpr digit = i == 0 ? rest : mod(rest, count);
        rest = floor_div(rest, count);
        if (!digit.is_constant() && digit != grid.items.tile[2]) {
            const Variable variable{LoopNest::first_named_slot + 4 + static_cast<int>(i),
                                    tiled && tile.sizes[2] > 1 ? fused.name + "_tile" : fused.name, digit.bounds()};
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
        for (std::int64_t element = 0; element < tile.sizes[axis] && tile.dims[axis] >= 0; ++element) {
            grid.elements[axis].push_back(number[axis] * tile.sizes[axis] + element);
        }
    }
    return grid;
}

} // namespace texelscope::codegen
