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

/// The value of a Constant. Throws bad_input where there is none, or another kind.
[[nodiscard]] Array constant_of(const Attributes& attributes);
/// A ConstantOfShape: `value`, or 0.0. Throws bad_input for more than 2^28 numbers, which no file
/// says with a few bytes.
[[nodiscard]] Array filled(const Shape& shape, const Attributes& attributes);
/// From `start` to `end`.
[[nodiscard]] Array part_of_shape(const Shape& shape, const Attributes& attributes);

} // namespace texelscope::networks
