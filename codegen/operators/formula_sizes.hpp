#pragma once

#include "codegen/operators/formula.hpp"
#include "traces/index/index_expr.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::codegen {

// The sizes of a formula: which a shape has to give, and the formula with all of them.
//
// A formula is *sized* where the size of each variable and the extents of each tensor are numbers.
// An extent that is not said follows from the indices: the largest value of the index plus one; and
// where the smallest is -p, which is padding of p zeros, as much padding is at the other end:
// X[h+kh-1] with h below 56 and kh below 3 reaches from -1 to 56, so that X has 56.

/// What a shape gives, in this order: variables of the output, of the reduction, then named
/// extents.
[[nodiscard]] std::vector<std::string> size_names(const Formula& formula);

/// From "n=1,h=56,.." in any order, or "1,56,.." in that of size_names(). Throws bad_input for what
/// is missing, unknown, or no whole number.
[[nodiscard]] std::vector<std::int64_t> formula_sizes(const Formula& formula,
                                                      const std::string& shape);

/// The sized formula. Throws bad_input where a variable is not known, an index is no sum of
/// variables times numbers, or two accesses of a tensor disagree.
[[nodiscard]] Formula with_sizes(const Formula& formula, const std::vector<std::int64_t>& sizes);

/// The variables of a sized formula, as dimensions of a contraction: those of the output, then
/// those of the reduction; the slot is the place.
[[nodiscard]] std::vector<traces::Variable> variables_of(const Formula& sized);

/// An index over these variables.
[[nodiscard]] traces::IndexExpr index_expression(const FormulaIndex& index,
                                                 const std::vector<traces::Variable>& variables,
                                                 const std::string& text);

} // namespace texelscope::codegen
