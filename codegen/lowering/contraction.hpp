#pragma once

#include "codegen/lowering/elementwise.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/schedule.hpp"
#include "traces/index/index_expr.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// An operator as what it computes, without how: for every point of the output dimensions,
///
///     output[output_index] = epilogue(sum over the reduction dimensions of  product over the
///     factors of  factor[index],
///                                     input[index] of each further input)
///
/// Two factors have matrix products, convolutions and their gradients. One have pools and sums
/// along axes, where the largest number, say, may take the place of the sum. None has what goes
/// from element to element, or moves them: there is only the epilogue then.
///
/// A dimension is a variable whose slot is its place in `dims`; indices are quasi-affine in the
/// dimensions. An element outside of its tensor counts as zero in a sum, which is how padding is
/// said; it is left out of a product, and where the largest or smallest is taken.
struct Contraction {
    std::string kernel;          ///< name of the kernel function
    std::vector<Variable> dims;  ///< slot i, range [0, extent - 1]
    std::vector<int> outputs;    ///< output dimensions by slot, outermost first
    std::vector<int> reductions; ///< reduction dimensions by slot, in the operator's own loop order

    /// Output dimensions that the grid of work-items spans: `x`, `y` (or -1), and the fused rest,
    /// outermost first, of which the last is tiled by the third size of T. Together they are the
    /// output dimensions.
    int x = 0;
    int y = -1;
    std::vector<int> z = {};

    enum class Combine { sum, product, largest, smallest };
    Combine combine = Combine::sum; ///< of the terms
    /// A term from its factor, argument 0, where there is one; argument 1 is the second, where
    /// there are two and the term is not their product, and argument 2 a number.
    NumberExpr term = NumberExpr::argument(0);
    std::optional<IndexExpr> number = {}; ///< that is argument 2; it does not change along a vector

    struct Input {
        Tensor tensor;
        std::vector<IndexExpr> index; ///< one for each dimension of the tensor
        /// Which dimension of the tensor an access pattern takes as its thread index and as its
        /// reduction index; the others, in the tensor's order, choose a plane of the image. -1:
        /// there is none.
        int thread = -1;
        int reduction = -1;
    };
    std::vector<Input> inputs;
    /// The first of the inputs; the others are the epilogue's, which depend on no reduction.
    std::size_t factors = 2;
    ElementSteps epilogue = {};

    Tensor output;
    std::vector<IndexExpr> output_index; ///< a point outside of the tensor is not an output

    [[nodiscard]] const Variable& dim(int slot) const
    {
        return dims[static_cast<std::size_t>(slot)];
    }
};

/// The loop nest of a contraction under a schedule.
///
/// What the four components of a texel are. Let v be x where T's first size is a multiple of four,
/// else y where its second is, else nothing; and let c be the reduction dimension that both inputs
/// index as it is (channels), if any. An input whose tensor has v as it is packs v; else one that
/// has c packs c; else one that has the other of x and y, with a tile that is a multiple of four,
/// packs that; else a texel holds one element. Products are then four outputs at a time (v packed),
/// or sums over four channels (nothing is v), and no read or product needs a branch.
///
/// Sizes that nothing divides cost no branch at reads either: packed texels are padded with zeros,
/// an index that leaves its dimension lands in a gap of zeros or outside of the image, which reads
/// as zero.
///
/// A given layout decides what an input's texels hold. Where that is none of the above, elements
/// are picked out of their texels one by one. Texels of the output hold what a given layout says,
/// or it is refused.
///
/// Throws bad_input, with the reason, for a schedule that is illegal (see Schedule).
/// `operator_text` goes into messages and the header of the text.
[[nodiscard]] LoopNest lower(const Contraction& contraction, const Schedule& schedule,
                             const std::string& operator_text, const GivenLayouts& given = {});

} // namespace texelscope::codegen
