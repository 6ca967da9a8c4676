#pragma once

#include "codegen/lowering/contraction_layout.hpp"
#include "codegen/nest/packing.hpp"

#include <vector>

namespace texelscope::codegen {

/// Where a tensor of a contraction keeps its elements: which of its dimensions is packed into texels, and where the texels
/// lie.
class TexelStorage {
public:
    /// What dimensions of the tensor the packing takes as its thread index and as its reduction index, and which one
    /// texels pack; the others, in the tensor's order, choose the plane. -1: there is none.
    struct Roles {
        int thread = -1;
        int reduction = -1;
        int packed = -1;
    };

    /// `asked`: along each dimension of the tensor, the elements that reads ask for. Throws as Packing does.
    TexelStorage(Tensor tensor, Roles roles, AccessPattern pattern, Memory memory, Storage storage,
                 const std::vector<Range>& asked);

    /// The index of an element along a dimension as that of its texel.
    [[nodiscard]] IndexExpr texel_index(std::size_t dimension, IndexExpr element) const;
    /// How many texels there are along a dimension.
    [[nodiscard]] std::int64_t texels(std::size_t dimension) const;
    /// Coordinates of a texel, from its index along each dimension.
    [[nodiscard]] Placement at(std::vector<IndexExpr> texel) const;
    /// The tensor as the kernel's argument.
    [[nodiscard]] Operand operand() const;

private:
    [[nodiscard]] bool is_packed(std::size_t dimension) const { return static_cast<int>(dimension) == roles_.packed; }
    [[nodiscard]] Packing packing(AccessPattern pattern, const std::vector<Range>& asked) const;

    Tensor tensor_;
    Roles roles_;
    Memory memory_;
    Storage storage_;
    Packing packing_;
};

/// Of all tensors: the inputs, then the output.
[[nodiscard]] std::vector<TexelStorage> texel_storages(const Contraction& contraction, const Schedule& schedule,
                                                       const ContractionLayout& layout);

} // namespace texelscope::codegen
