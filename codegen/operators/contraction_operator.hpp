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
    double products = 0;             ///< multiply-adds with elements of both inputs, none of them padding
    std::function<std::vector<float>(const TensorValues&)> reference; ///< of the operator; linear in each input
};

/// Throws bad_input where a tensor is too large (check_tensors()).
[[nodiscard]] Operator contraction_operator(ContractionOperator parts);

/// Relative to the sum of |a||b|, the largest rounding error of a float32 sum of that many products in any order, and
/// of rounding the reference to float32.
[[nodiscard]] double sum_tolerance(double terms);

} // namespace texelscope::codegen
