#pragma once

#include "networks/graph/attributes.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace texelscope::networks {

// Works out, when a file is read, what follows from its constants: the integer computations on
// shapes that exporters write into it, and weights that are stored otherwise than nodes take them.

/// Whether an operator on these constants is one that is worked out: of integers, or Cast, or any
/// function of real numbers that is no sum of products.
[[nodiscard]] bool is_folded(const std::string& op, const std::vector<const Array*>& inputs);

/// The outputs of an operator on constants; null stands for an input that is not given. Integers
/// beyond 2^53 are clamped to it: they stand for "to the end". Each real number is rounded to fp32,
/// as a kernel would have it. None where real numbers would become many more: then the node stays.
/// Throws bad_input for an operator that is not understood there.
[[nodiscard]] std::vector<Array> fold_constants(const std::string& op, const Attributes& attributes,
                                                const std::vector<const Array*>& inputs,
                                                std::size_t outputs);

/// The value of a Constant, in whichever of ONNX's attributes it is given. Throws bad_input where
/// there is none, or it is of another kind.
[[nodiscard]] Array constant_of(const Attributes& attributes);
/// A ConstantOfShape: that many times `value`, or 0.0. Throws bad_input for more than 2^28 numbers:
/// a file of a few bytes could ask for them.
[[nodiscard]] Array filled(const Shape& shape, const Attributes& attributes);
/// The extents from `start` to `end`, as the operator Shape gives them.
[[nodiscard]] Array part_of_shape(const Shape& shape, const Attributes& attributes);

} // namespace texelscope::networks
