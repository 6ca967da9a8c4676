#pragma once

#include "networks/graph/attributes.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace texelscope::networks {

// Evaluates, when a file is read, the integer computations on shapes that exporters write into it.

/// The outputs of an operator on known integers. Numbers beyond 2^53 are clamped to it: they stand
/// for "to the end". Throws bad_input for an operator that is not understood there.
[[nodiscard]] std::vector<Array> fold_integers(const std::string& op, const Attributes& attributes,
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
