#pragma once

#include "codegen/lowering/sweep_nest.hpp"
#include "codegen/operators/operator.hpp"

#include <cstdint>

namespace texelscope::codegen {

/// Y = exp(X - m) / sum of exp(X - m) over each row of X[ROWS, COLS], m the row's maximum.
/// Schedules as in SweepNest.
[[nodiscard]] Operator softmax(std::int64_t rows, std::int64_t cols);

/// Softmax of the first input's lines, or its logarithm, X - m - log(sum of exp(X - m)).
[[nodiscard]] LoopNest softmax_nest(SweepNest nest, bool logarithm = false);

/// Its gradient: dX = Y * (dY - sum of dY * Y over the row). Inputs Y and dY.
[[nodiscard]] Operator softmax_dx(std::int64_t rows, std::int64_t cols);

} // namespace texelscope::codegen
