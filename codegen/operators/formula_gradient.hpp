#pragma once

#include "codegen/operators/formula.hpp"

namespace texelscope::codegen {

/// The gradient of a scalar with respect to the tensor that Formula::gradient names, from that with
/// respect to the output, as a formula itself: for
///
///     O[m,n] = sum(k) A[m,k] * B[k,n]    d A of it is    dA[m,k] = sum(n) dO[m,n] * B[k,n]
///
/// In and out: sized formulas (formula_sizes.hpp). Each index of the tensor, a sum of variables
/// times numbers, becomes an index y of the gradient; one variable of the sum is expressed by y and
/// the others, and they are summed over:
///
///     y = h + d * kh - c             h = y - d * kh + c
///     y = s * h + kh - c, s > 1      kh = s * j + (y + c) % s,   h = (y + c) / s - j,   j < K / s
///
/// (the second as in conv.hpp: so that no tap is tried in vain). What leaves its tensor counts as
/// zero, as in every sum. Throws bad_input for what is no sum of products, for a variable that
/// cannot be expressed, and for a tensor that the formula does not read.
[[nodiscard]] Formula formula_gradient(const Formula& sized);

} // namespace texelscope::codegen
