#pragma once

#include "codegen/lowering/contraction_layout.hpp"
#include "codegen/nest/packing.hpp"
#include "codegen/nest/side_packing.hpp"
#include "codegen/nest/tensor_layout.hpp"

#include <variant>
#include <vector>

namespace texelscope::codegen {

/// A tensor with the layout in which it keeps its elements.
class TexelStorage {
public:
    /// Throws bad_input as Packing does, and where sides do not name each dimension once.
    TexelStorage(Tensor tensor, TensorLayout layout);

    [[nodiscard]] const TensorLayout& layout() const { return layout_; }
    /// The index of an element along a dimension as that of its texel.
    [[nodiscard]] IndexExpr texel_index(std::size_t dimension, IndexExpr element) const;
    /// How many texels there are along a dimension.
    [[nodiscard]] std::int64_t texels(std::size_t dimension) const;
    /// Coordinates of a texel, from its index along each dimension.
    [[nodiscard]] Placement at(std::vector<IndexExpr> texel) const;
    /// The tensor as the kernel's argument.
    [[nodiscard]] Operand operand() const;

private:
    [[nodiscard]] bool is_packed(std::size_t dimension) const
    {
        return static_cast<int>(dimension) == layout_.packed;
    }
    [[nodiscard]] std::variant<Packing, SidePacking> packing() const;
    [[nodiscard]] PackedDim packed_dim(std::size_t dimension) const;

    Tensor tensor_;
    TensorLayout layout_;
    std::variant<Packing, SidePacking> packing_;
};

/// The layout of a tensor by its number: the one that is given, else its own. Throws bad_input as
/// texel_storages() does.
[[nodiscard]] TensorLayout layout_of(const Tensor& tensor, std::size_t number, TensorLayout own,
                                     const GivenLayouts& given);

/// Of all tensors: the inputs, then the output; those that are given as they are. Throws bad_input
/// where a given one is not for a tensor of its dimensions, is stored otherwise, or has no zeros
/// where this kernel asks for them.
[[nodiscard]] std::vector<TexelStorage> texel_storages(const Contraction& contraction,
                                                       const Schedule& schedule,
                                                       const ContractionLayout& layout,
                                                       const GivenLayouts& given);

} // namespace texelscope::codegen
