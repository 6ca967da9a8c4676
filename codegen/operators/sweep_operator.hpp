#pragma once

#include "codegen/lowering/sweep_nest.hpp"
#include "codegen/operators/operator.hpp"

#include <functional>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// An operator on the lines of a matrix, by what is its own.
struct SweepOperator {
    std::string name;
    SweepLines lines = SweepLines::rows;
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    std::size_t axis = 1; ///< that of a matrix along which its columns are, see Sweep
    std::vector<Tensor> inputs;
    Tensor output;
    /// For each element of the matrix: additions, comparisons, products, functions.
    double operations = 0;
    std::function<LoopNest(SweepNest)> build;

    /// An output and what its rounding errors are proportional to.
    struct Reference {
        std::vector<double> value;
        std::vector<double> magnitude;
    };
    std::function<Reference(const TensorValues&)> reference;
    double roundings = 0; ///< how many times 2^-24 of the magnitude an output may be off
    /// C99 that computes the same from the tensors by name, and ROWS and COLS, into the output and
    /// MAGNITUDE.
    std::string reference_c;
};

/// Throws bad_input for sizes beyond the limits (limits.hpp).
[[nodiscard]] Operator sweep_operator(const SweepOperator& own);

/// 2^-24, the largest relative error of one rounding to float32. An ulp is at most two of them, so
/// that OpenCL's exp (at most 4 ulp in the embedded profile, 3 in the full one) is 8 of them, rsqrt
/// (2 ulp) 4, a division (2.5 ulp) 5 (The OpenCL Specification, 1.2, section 7.4).
inline constexpr double unit_roundoff = 1.0 / (1 << 24);

} // namespace texelscope::codegen
