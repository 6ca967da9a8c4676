#pragma once

#include "codegen/loop_nest.hpp"
#include "codegen/schedule.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope {

/// C[M,N] = A[M,K] * B[K,N].
///
/// Output dimension x is N, y is M; a tile Tx x Ty makes one work-item compute Tx columns of Ty rows. What a texel
/// packs follows from the tile:
///   Tx a multiple of 4: four neighbouring columns of C and B, four neighbouring k of A     (C += a.k * B4)
///   else Ty a multiple of 4: four neighbouring rows of C and A, four neighbouring k of B   (C += A4 * b.k)
///   else: four neighbouring k of A and B, one element of C in the first component of a texel (C += dot(A4, B4))
/// The thread index of A is the row (or group of four rows), of B the column (or group of four columns).
/// Sizes that nothing divides are handled without a branch at reads: packed texels are padded with zeros, and reads
/// beyond the image return the border colour, zero.
class MatMul {
public:
    MatMul(std::int64_t m, std::int64_t n, std::int64_t k); ///< throws bad_input unless all are >= 1

    [[nodiscard]] std::string name() const { return "matmul"; }
    [[nodiscard]] std::vector<std::int64_t> shape() const { return {m_, n_, k_}; }
    [[nodiscard]] std::vector<Tensor> inputs() const;
    [[nodiscard]] Tensor output() const;
    [[nodiscard]] LoopNest nest(const Schedule& schedule) const;
    [[nodiscard]] std::vector<float> reference(const std::vector<std::vector<float>>& inputs) const;
    [[nodiscard]] double tolerance() const;
    [[nodiscard]] Schedule default_schedule() const;

private:
    std::int64_t m_, n_, k_;
};

} // namespace texelscope
