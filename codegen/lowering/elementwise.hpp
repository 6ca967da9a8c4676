#pragma once

#include "codegen/nest/number_expr.hpp"

#include <vector>

namespace texelscope::codegen {

/// What is done with a number before it is written: one function after the other.
struct ElementStep {
    /// Of a vector or a single number: argument 0 is the value so far, which is at first the sum,
    /// or the first input where nothing is summed; argument 1 the number of the input, if it takes
    /// one.
    NumberExpr value;
    int input = -1; ///< among the further inputs of the contraction; -1: it takes none
};

/// Steps that zero goes through unchanged leave the padding of texels as it is.
struct ElementSteps {
    std::vector<ElementStep> steps;
    bool keeps_zero = true;

    [[nodiscard]] bool empty() const { return steps.empty(); }
};

} // namespace texelscope::codegen
