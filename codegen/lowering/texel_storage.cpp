#include "codegen/lowering/texel_storage.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::codegen {
namespace {

/// Values of every index of an input in the launch.
std::vector<Range> asked_of_input(const Contraction::Input& input, const ContractionLayout& layout)
{
    std::vector<Range> asked;
    const auto dim_as_asked = [&](const Variable& d) { return IndexExpr(Variable{d.slot, d.name, layout.asked(d)}); };
    for (const IndexExpr& index : input.index) {
        asked.push_back(index.replace(dim_as_asked).bounds());
    }
    return asked;
}

/// The first dimension of the output's tensor that the dimension `slot` takes part in, or -1.
int output_dimension(const Contraction& contraction, int slot)
{
    for (std::size_t d = 0; d < contraction.output_index.size() && slot >= 0; ++d) {
        if (contraction.output_index[d].uses_slots(slot, slot + 1)) {
            return static_cast<int>(d);
        }
    }
    return -1;
}

} // namespace

TexelStorage::TexelStorage(Tensor tensor, Roles roles, AccessPattern pattern, Memory memory, Storage storage,
                           const std::vector<Range>& asked)
    : tensor_(std::move(tensor)), roles_(roles), memory_(memory), storage_(storage), packing_(packing(pattern, asked))
{}

Packing TexelStorage::packing(AccessPattern pattern, const std::vector<Range>& asked) const
{
    PackedDim thread;
    PackedDim reduction;
    std::vector<PackedDim> outer;
    for (std::size_t d = 0; d < asked.size(); ++d) {
        const std::int64_t texel = is_packed(d) ? ContractionLayout::components : 1;
        const PackedDim dim{texels(d), {floor_div(asked[d].min, texel), floor_div(asked[d].max, texel)}};
        if (static_cast<int>(d) == roles_.thread) {
            thread = dim;
        } else if (static_cast<int>(d) == roles_.reduction) {
            reduction = dim;
        } else {
            outer.push_back(dim);
        }
    }
    return {pattern, memory_, thread, reduction, std::move(outer), tensor_.name};
}

IndexExpr TexelStorage::texel_index(std::size_t dimension, IndexExpr element) const
{
    return is_packed(dimension) ? floor_div(element, ContractionLayout::components) : std::move(element);
}

std::int64_t TexelStorage::texels(std::size_t dimension) const
{
    return ceil_div(tensor_.shape[dimension], is_packed(dimension) ? ContractionLayout::components : 1);
}

Placement TexelStorage::at(std::vector<IndexExpr> texel) const
{
    const auto take = [&](int d) { return d < 0 ? IndexExpr(0) : std::move(texel[static_cast<std::size_t>(d)]); };
    const IndexExpr thread = take(roles_.thread);
    const IndexExpr reduction = take(roles_.reduction);
    std::vector<IndexExpr> outer = std::move(texel);
    // From behind, so that the numbers of those in front stay as they are.
    for (const int d : {std::max(roles_.thread, roles_.reduction), std::min(roles_.thread, roles_.reduction)}) {
        if (d >= 0) {
            outer.erase(outer.begin() + d);
        }
    }
    return packing_.at(thread, reduction, outer);
}

Operand TexelStorage::operand() const
{
    Operand operand;
    operand.tensor = tensor_;
    operand.memory = memory_;
    operand.storage = storage_;
    std::vector<IndexExpr> texel;
    for (const Variable& d : tensor_index(tensor_)) {
        const auto dimension = static_cast<std::size_t>(d.slot);
        texel.push_back(texel_index(dimension, IndexExpr(d)));
        if (is_packed(dimension)) {
            operand.component = mod(IndexExpr(d), ContractionLayout::components);
        }
    }
    Placement place = at(std::move(texel));
    operand.x = std::move(place.x);
    operand.y = std::move(place.y);
    operand.image = {tensor_.name, packing_.extent(), Bytes{bytes_per_texel(storage_)}, AddressMode::border};
    return operand;
}

std::vector<TexelStorage> texel_storages(const Contraction& contraction, const Schedule& schedule,
                                         const ContractionLayout& layout)
{
    std::vector<TexelStorage> storages;
    for (std::size_t i = 0; i < contraction.inputs.size(); ++i) {
        const Contraction::Input& of = contraction.inputs[i];
        storages.emplace_back(of.tensor, TexelStorage::Roles{of.thread, of.reduction, layout.inputs[i].packed},
                              schedule.patterns[i], schedule.memory_of(i), schedule.storage,
                              asked_of_input(of, layout));
    }
    const SumTile& tile = layout.tile;
    const TexelStorage::Roles roles{
        output_dimension(contraction, tile.dims[1]), output_dimension(contraction, tile.dims[0]),
        tile.has_vectors() ? output_dimension(contraction, tile.dims[static_cast<std::size_t>(tile.vector_axis)]) : -1};
    std::vector<Range> written; // what lies outside is guarded
    for (const std::int64_t size : contraction.output.shape) {
        written.push_back({0, size - 1});
    }
    // Rows of the image go along x of the grid, as in a row pattern with x as the reduction index.
    storages.emplace_back(contraction.output, roles, AccessPattern::row, schedule.memory_of(contraction.inputs.size()),
                          schedule.storage, written);
    return storages;
}

} // namespace texelscope::codegen
