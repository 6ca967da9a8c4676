#pragma once

#include "codegen/operators/formula.hpp"
#include "codegen/operators/operator.hpp"

#include <string>

namespace texelscope::codegen {

/// The operator that a formula states (formula.hpp), with the sizes that a shape gives
/// (formula_sizes.hpp). Its name is the formula's text, its shape the sizes in the order of
/// size_names(). It is a contraction as the built-in ones are: the last variable of the output lies
/// along x, the one before it along y, the others along z.
///
/// "d X of FORMULA" is the gradient with respect to X (formula_gradient.hpp); its shape is that of
/// the formula.
///
/// Throws bad_input, with the column, for a formula that a kernel cannot be.
[[nodiscard]] Operator formula_operator(const std::string& text, const std::string& shape);

/// The names of its sizes, and 16 of each as an example.
[[nodiscard]] OperatorInfo formula_info(const std::string& text);

} // namespace texelscope::codegen
