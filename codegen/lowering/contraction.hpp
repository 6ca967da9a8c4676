#pragma once

#include "codegen/lowering/elementwise.hpp"
#include "codegen/nest/operand.hpp"
#include "codegen/nest/schedule.hpp"
#include "traces/index/index_expr.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::codegen {

struct LoopNest;

/// What an operator computes, without saying how.
///
/// In: an operator (codegen/operators) or a node of a network (networks/lowering) fills in the
/// dimensions, the inputs with their indices, and the arithmetic. Out: lower() makes the loop nest
/// under a schedule. Its steps are contraction_layout() (the tile of sums, what texels hold, the
/// loops), contraction_plan() (work-items, where tensors lie), and contraction_nest() (the
/// statements); each depends only on those before it. What always holds: schedule and layouts
/// change how the output is computed and where it is stored, never its value except for rounding.
///
/// For every point of the output dimensions,
///
///     output[output_index] = epilogue(
///         sum over the reduction dimensions of (product over the factors of factor[index]),
///         input[index] of each further input)
///
/// Matrix products, convolutions and their gradients have two factors. Pools and sums along axes
/// have one; the sum may be replaced by the product, the largest or the smallest term (`combine`).
/// Operators that compute element by element, or only move elements, have none: all they do is the
/// epilogue.
///
/// A dimension is a variable whose slot is its place in `dims`; indices are quasi-affine in the
/// dimensions. Padding is expressed by indices that leave their tensor: such an element counts as
/// zero in a sum, and is left out where terms are multiplied or the largest or smallest is taken.
struct Contraction {
    std::string kernel;          ///< name of the kernel function
    std::vector<Variable> dims;  ///< slot i, range [0, extent - 1]
    std::vector<int> outputs;    ///< output dimensions by slot, outermost first
    std::vector<int> reductions; ///< reduction dimensions by slot, in the operator's own loop order

    /// Slots of the output dimensions as the axes of the grid of work-items: `x`; `y`, or -1; and
    /// in `z` all others, outermost first, which are fused into one axis. The last of them is tiled
    /// by the third size of T. Together they are all of `outputs`.
    int x = 0;
    int y = -1;
    std::vector<int> z = {};

    enum class Combine { sum, product, largest, smallest };
    Combine combine = Combine::sum; ///< how the terms of an output are combined
    /// How a term is computed, if it is not just the product of two factors: arguments 0, 1, .. are
    /// the factors, the one behind them is the number below.
    NumberExpr term = NumberExpr::argument(0);
    /// The index expression that is the last argument; it must not change along a vector.
    std::optional<IndexExpr> number = {};
    /// When a term is known to be zero: where one of its factors is (products), where all are, or
    /// never. What a texel or a loop has beyond the end of a dimension may only be added if it is.
    enum class ZeroTerm { any_factor, all_factors, never };
    ZeroTerm zero_term = ZeroTerm::any_factor;
    /// Whether terms are made and added in half precision where P=fp16 says so. Not where numbers
    /// of -1, 0 and 1 may give terms that half precision has not exactly.
    bool half_terms = true;

    struct Input {
        Tensor tensor;
        std::vector<IndexExpr> index; ///< one for each dimension of the tensor
        /// Numbers of the tensor's dimensions that an access pattern takes as its thread index and
        /// as its reduction index. The other dimensions, in the tensor's order, choose a plane of
        /// the image. -1: there is no such dimension.
        int thread = -1;
        int reduction = -1;
    };
    std::vector<Input> inputs;
    /// So many of `inputs`, from the first on, are factors. The others belong to the epilogue, and
    /// their indices depend on no reduction dimension.
    std::size_t factors = 2;
    ElementSteps epilogue = {};

    Tensor output;
    std::vector<IndexExpr> output_index; ///< a point outside of the tensor is not an output

    [[nodiscard]] const Variable& dim(int slot) const
    {
        return dims[static_cast<std::size_t>(slot)];
    }
};

/// Makes the loop nest of a contraction under a schedule.
///
/// What the four components of a texel hold ("pack"): Let v be the dimension x if T's first size is
/// a multiple of four, else y if its second is, else nothing. Let c be the reduction dimension that
/// both inputs index directly (channels), if there is one. An input whose tensor is indexed
/// directly by v packs v. Otherwise one that is indexed by c packs c; otherwise one that is indexed
/// by the other of x and y, if that one's tile is a multiple of four, packs that; otherwise a texel
/// holds one element. One product then makes four outputs (if v is packed) or sums over four
/// channels (if there is no v), and neither reads nor products need branches.
///
/// Sizes that are no multiple of the tile need no branch at reads either: packed texels are padded
/// with zeros, and an index that leaves its dimension lands in a gap of zeros or outside of the
/// image, which reads as zero.
///
/// A layout that is given decides what the texels of its input hold. If that is none of the above,
/// elements are picked out of their texels one by one. A given layout of the output is followed, or
/// refused by an exception.
///
/// Throws bad_input, with the reason, for a schedule that is illegal (see Schedule).
/// `operator_text` goes into messages and the header of the text.
[[nodiscard]] LoopNest lower(const Contraction& contraction, const Schedule& schedule,
                             const std::string& operator_text, const GivenLayouts& given = {});

} // namespace texelscope::codegen
