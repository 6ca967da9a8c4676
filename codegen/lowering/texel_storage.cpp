#include "codegen/lowering/texel_storage.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace texelscope::codegen {
namespace {

/// The range of each index of an input over the whole launch.
std::vector<Range> asked_of_input(const Contraction::Input& input, const ContractionLayout& layout)
{
    std::vector<Range> asked;
    const auto dim_as_asked = [&](const Variable& d) {
        return IndexExpr(Variable{d.slot, d.name, layout.asked(d)});
    };
    for (const IndexExpr& index : input.index) {
        asked.push_back(index.replace(dim_as_asked).bounds());
    }
    return asked;
}

/// Number of the first dimension of the output's tensor whose index contains the dimension `slot`,
/// or -1.
int output_dimension(const Contraction& contraction, int slot)
{
    for (std::size_t d = 0; d < contraction.output_index.size() && slot >= 0; ++d) {
        if (contraction.output_index[d].uses_slots(slot, slot + 1)) {
            return static_cast<int>(d);
        }
    }
    return -1;
}

/// Checks that each dimension is named exactly once, across or down.
void check_sides(const TensorLayout& layout, const Tensor& tensor)
{
    std::vector<int> named = layout.across;
    named.insert(named.end(), layout.down.begin(), layout.down.end());
    std::ranges::sort(named);
    bool each_once = named.size() == tensor.shape.size();
    for (std::size_t d = 0; each_once && d < named.size(); ++d) {
        each_once = named[d] == static_cast<int>(d);
    }
    if (!each_once) {
        throw bad_input(
            fmt::format("the layout {} of {} dimensions", to_string(layout), tensor.shape.size()),
            tensor.name, "name each dimension once");
    }
}

void check_given(const TensorLayout& given, const TensorLayout& own, const Tensor& tensor)
{
    if (given.asked.size() != tensor.shape.size()) {
        throw bad_input(fmt::format("a layout of {} dimensions for one of {}", given.asked.size(),
                                    tensor.shape.size()),
                        tensor.name);
    }
    if (given.storage != own.storage) {
        throw bad_input(fmt::format("a layout in {} for a kernel in {}", to_string(given.storage),
                                    to_string(own.storage)),
                        tensor.name);
    }
    if (!given.answers(own)) {
        throw bad_input("the layout has no zeros where the kernel reads outside of the tensor",
                        tensor.name, "join the layouts that its readers ask for");
    }
}

} // namespace

TexelStorage::TexelStorage(Tensor tensor, TensorLayout layout)
    : tensor_(std::move(tensor)), layout_(std::move(layout)), packing_(packing())
{}

PackedDim TexelStorage::packed_dim(std::size_t dimension) const
{
    const std::int64_t texel = is_packed(dimension) ? ContractionLayout::components : 1;
    const Range& asked = layout_.asked[dimension];
    return {texels(dimension), {floor_div(asked.min, texel), floor_div(asked.max, texel)}};
}

std::variant<Packing, SidePacking> TexelStorage::packing() const
{
    if (layout_.by_sides()) {
        check_sides(layout_, tensor_);
        const auto dims = [&](const std::vector<int>& side) {
            std::vector<PackedDim> all;
            for (const int d : side) {
                all.push_back(packed_dim(static_cast<std::size_t>(d)));
            }
            return all;
        };
        return SidePacking(layout_.memory, dims(layout_.across), dims(layout_.down), tensor_.name);
    }
    PackedDim thread;
    PackedDim reduction;
    std::vector<PackedDim> outer;
    for (std::size_t d = 0; d < layout_.asked.size(); ++d) {
        const PackedDim dim = packed_dim(d);
        if (static_cast<int>(d) == layout_.thread) {
            thread = dim;
        } else if (static_cast<int>(d) == layout_.reduction) {
            reduction = dim;
        } else {
            outer.push_back(dim);
        }
    }
    return Packing(layout_.pattern, layout_.memory, thread, reduction, std::move(outer),
                   tensor_.name);
}

IndexExpr TexelStorage::texel_index(std::size_t dimension, IndexExpr element) const
{
    return is_packed(dimension) ? floor_div(element, ContractionLayout::components)
                                : std::move(element);
}

std::int64_t TexelStorage::texels(std::size_t dimension) const
{
    return ceil_div(tensor_.shape[dimension],
                    is_packed(dimension) ? ContractionLayout::components : 1);
}

Placement TexelStorage::at(std::vector<IndexExpr> texel) const
{
    if (const auto* const sides = std::get_if<SidePacking>(&packing_)) {
        const auto along = [&](const std::vector<int>& dims) {
            std::vector<IndexExpr> index;
            for (const int d : dims) {
                index.push_back(texel[static_cast<std::size_t>(d)]);
            }
            return index;
        };
        return sides->at(along(layout_.across), along(layout_.down));
    }
    const auto take = [&](int d) {
        return d < 0 ? IndexExpr(0) : std::move(texel[static_cast<std::size_t>(d)]);
    };
    const IndexExpr thread = take(layout_.thread);
    const IndexExpr reduction = take(layout_.reduction);
    std::vector<IndexExpr> outer = std::move(texel);
    // Going backwards keeps the numbers of the dimensions in front valid.
    for (const int d : {std::max(layout_.thread, layout_.reduction),
                        std::min(layout_.thread, layout_.reduction)}) {
        if (d >= 0) {
            outer.erase(outer.begin() + d);
        }
    }
    return std::get<Packing>(packing_).at(thread, reduction, outer);
}

Operand TexelStorage::operand() const
{
    Operand operand;
    operand.tensor = tensor_;
    operand.memory = layout_.memory;
    operand.storage = layout_.storage;
    operand.layout = layout_;
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
    const Extent2D extent =
        std::visit([](const auto& packing) { return packing.extent(); }, packing_);
    operand.image = {tensor_.name, extent, Bytes{bytes_per_texel(layout_.storage)},
                     AddressMode::border};
    operand.image.row_multiple = layout_.memory == Memory::image ? layout_.row_multiple : 0;
    return operand;
}

TensorLayout layout_of(const Tensor& tensor, std::size_t number, TensorLayout own,
                       const GivenLayouts& given)
{
    if (number >= given.size() || !given[number]) {
        return own;
    }
    TensorLayout layout = *given[number];
    if (layout.asked.empty()) {
        layout.asked = std::move(own.asked);
    } else {
        check_given(layout, own, tensor);
    }
    return layout;
}

std::vector<TexelStorage> texel_storages(const Contraction& contraction, const Schedule& schedule,
                                         const ContractionLayout& layout, const GivenLayouts& given)
{
    std::vector<TexelStorage> storages;
    const auto add = [&](const Tensor& tensor, TensorLayout own) {
        storages.emplace_back(tensor, layout_of(tensor, storages.size(), std::move(own), given));
    };
    for (std::size_t i = 0; i < contraction.inputs.size(); ++i) {
        const Contraction::Input& of = contraction.inputs[i];
        add(of.tensor, {of.thread, of.reduction, layout.inputs[i].packed, schedule.patterns[i],
                        schedule.memory_of(i), schedule.storage, asked_of_input(of, layout)});
    }
    std::vector<Range> written; // no range is needed beyond the tensor, as writes have guards
    for (const std::int64_t size : contraction.output.shape) {
        written.push_back({0, size - 1});
    }
    const SumTile& tile = layout.tile;
    add(contraction.output,
        {output_dimension(contraction, tile.dims[1]), output_dimension(contraction, tile.dims[0]),
         tile.has_vectors()
             ? output_dimension(contraction, tile.dims[static_cast<std::size_t>(tile.vector_axis)])
             : -1,
         schedule.output, schedule.memory_of(contraction.inputs.size()), schedule.storage,
         std::move(written)});
    return storages;
}

} // namespace texelscope::codegen
