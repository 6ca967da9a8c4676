#pragma once

#include "codegen/lowering/contraction_layout.hpp"
#include "codegen/nest/packing.hpp"
#include "codegen/nest/side_packing.hpp"
#include "codegen/nest/tensor_layout.hpp"

#include <variant>
#include <vector>

namespace texelscope::codegen {

/// A tensor together with its layout: translates the index of an element into the texel that stores
/// it.
class TexelStorage {
public:
    /// Throws bad_input as Packing does, and where sides do not name each dimension once.
    TexelStorage(Tensor tensor, TensorLayout layout);

    [[nodiscard]] const TensorLayout& layout() const { return layout_; }
    /// Turns the index of an element along a dimension into the index of its texel: a quarter of it
    /// for the packed dimension, else the same.
    [[nodiscard]] IndexExpr texel_index(std::size_t dimension, IndexExpr element) const;
    /// Number of texels along a dimension.
    [[nodiscard]] std::int64_t texels(std::size_t dimension) const;
    /// Coordinates of a texel in the image or buffer, from its index along each dimension.
    [[nodiscard]] Placement at(std::vector<IndexExpr> texel) const;
    /// The tensor as an argument of the kernel.
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

/// The layout of tensor `number` (inputs first, then the output): the one that is given, else
/// `own`. Throws bad_input as texel_storages() does.
[[nodiscard]] TensorLayout layout_of(const Tensor& tensor, std::size_t number, TensorLayout own,
                                     const GivenLayouts& given);

/// Storages of all tensors: the inputs, then the output. Layouts that are given are taken as they
/// are. Throws bad_input where a given layout does not fit the tensor's dimensions, differs in
/// storage from the schedule, or has no zeros where this kernel needs them.
[[nodiscard]] std::vector<TexelStorage> texel_storages(const Contraction& contraction,
                                                       const Schedule& schedule,
                                                       const ContractionLayout& layout,
                                                       const GivenLayouts& given);

} // namespace texelscope::codegen
