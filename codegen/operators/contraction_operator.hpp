#pragma once

#include "codegen/lowering/contraction.hpp"
#include "codegen/operators/operator.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// What an operator that is a contraction has of its own; the rest follows.
struct ContractionOperator {
    std::vector<std::int64_t> shape; ///< as on the command line
    std::string padding = {};        ///< as on the command line
    Contraction contraction;         ///< its kernel is named as the operator is
    /// Multiply-adds with elements of both inputs, none of them padding.
    double products = 0;
    /// Of the operator; linear in each input.
    std::function<std::vector<float>(const TensorValues&)> reference;
};

/// Throws bad_input where a tensor is too large (check_tensors()).
[[nodiscard]] Operator contraction_operator(ContractionOperator parts);

/// Relative to the sum of |a||b|, the largest rounding error of a float32 sum of that many products
/// in any order, and of rounding the reference to float32.
[[nodiscard]] double sum_tolerance(double terms);

/// C99 text of a function that computes a contraction as it is defined, one loop for each
/// dimension, in double precision:
///
///     static void reference(const float *IN0, const float *IN1, ..., double *OUT, double
///     *MAGNITUDE)
///
/// The parameters are named after the tensors, row-major. OUT gets the output, MAGNITUDE for each
/// of its elements the sum of the absolute values of its products, to which rounding errors are
/// proportional. It includes no header.
[[nodiscard]] std::string reference_c(const Contraction& contraction);

} // namespace texelscope::codegen
