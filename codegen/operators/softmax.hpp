#pragma once

#include "codegen/operators/operator.hpp"

#include <cstdint>

namespace texelscope::codegen {

/// Y = exp(X - m) / sum of exp(X - m) over each row of X[ROWS, COLS], m the row's maximum. Schedules as in SweepNest.
[[nodiscard]] Operator softmax(std::int64_t rows, std::int64_t cols);

/// Its gradient: dX = Y * (dY - sum of dY * Y over the row). Inputs Y and dY.
[[nodiscard]] Operator softmax_dx(std::int64_t rows, std::int64_t cols);

} // namespace texelscope::codegen
