#pragma once

#include "codegen/lowering/contraction.hpp"
#include "codegen/operators/bilinear.hpp"
#include "codegen/operators/operator.hpp"

#include <cstdint>

namespace texelscope::codegen {

/// C[M,N] = A[M,K] B[K,N], and the gradients dA = dC B^T and dB = A^T dC. M, N, K are those of the
/// product in all three. Output dimension x is the column and y the row of what is computed; for
/// each input the thread index is the one that it shares with the output. Throw bad_input for sizes
/// out of range (limits.hpp).
[[nodiscard]] Operator matmul(std::int64_t m, std::int64_t n, std::int64_t k);
[[nodiscard]] Operator matmul_da(std::int64_t m, std::int64_t n, std::int64_t k);
[[nodiscard]] Operator matmul_db(std::int64_t m, std::int64_t n, std::int64_t k);

[[nodiscard]] Contraction matmul_contraction(Pass pass, std::int64_t m, std::int64_t n,
                                             std::int64_t k);

} // namespace texelscope::codegen
