#pragma once

#include "codegen/lowering/sweep_nest.hpp"
#include "codegen/operators/operator.hpp"

#include <cstdint>

namespace texelscope::codegen {

/// Added to the variance of a row.
inline constexpr double layernorm_epsilon = 1e-5;

/// Y = (X - mean) * rstd * gamma + beta over each row of X[ROWS, COLS], with the row's mean, its
/// variance (of the differences from the mean, divided by COLS) and rstd = 1 / sqrt(variance +
/// layernorm_epsilon). Inputs X, gamma[COLS], beta[COLS]. Schedules, here and below, as in
/// SweepNest.
[[nodiscard]] Operator layernorm(std::int64_t rows, std::int64_t cols);

/// The nest of a layer normalisation of the first input's lines, which have COLS elements.
/// `with_beta` says that there is a third input, which is added.
[[nodiscard]] LoopNest layernorm_nest(SweepNest nest, std::int64_t cols,
                                      double epsilon = layernorm_epsilon, bool with_beta = true);

/// Its gradient by X: dX = rstd * (g - mean(g) - h * mean(g * h)), g = dY * gamma, h = (X - mean) *
/// rstd, with mean and rstd calculated anew. Inputs X, dY, gamma.
[[nodiscard]] Operator layernorm_dx(std::int64_t rows, std::int64_t cols);

/// Its gradient by gamma: dgamma[COLS] = sum over the rows of dY * (X - mean) * rstd. Inputs X, dY,
/// mean[ROWS], rstd[ROWS].
[[nodiscard]] Operator layernorm_dgamma(std::int64_t rows, std::int64_t cols);

/// Its gradient by beta: dbeta[COLS] = sum over the rows of dY. Input dY.
[[nodiscard]] Operator layernorm_dbeta(std::int64_t rows, std::int64_t cols);

} // namespace texelscope::codegen
