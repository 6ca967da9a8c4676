#pragma once

#include "codegen/lowering/contraction.hpp"

#include <string>

namespace texelscope::codegen {

/// C99 text of a function that computes a contraction as it is defined, one loop for each dimension, in double
/// precision:
///
///     static void reference(const float *IN0, const float *IN1, ..., double *OUT, double *MAGNITUDE)
///
/// The parameters are named after the tensors, row-major. OUT gets the output, MAGNITUDE for each of its elements the
/// sum of the absolute values of its products, to which rounding errors are proportional. It includes no header.
[[nodiscard]] std::string reference_c(const Contraction& contraction);

} // namespace texelscope::codegen
