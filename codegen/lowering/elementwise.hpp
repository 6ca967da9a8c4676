#pragma once

#include "codegen/nest/number_expr.hpp"

#include <vector>

namespace texelscope::codegen {

/// One function that the epilogue applies to each output before it is written; steps are applied
/// one after the other.
struct ElementStep {
    /// The new value, a vector or a single number. Argument 0 is the value so far, which is at
    /// first the sum, or the first input if the contraction has no factors. Arguments 1, 2, .. are
    /// the elements of `input` and of those behind it.
    NumberExpr value;
    /// Which of the epilogue's inputs it takes, counted behind the factors, and how many from there
    /// on; -1: none.
    int input = -1;
    int inputs = 1;
};

/// The steps of an epilogue. `keeps_zero` says that they map zero to zero: then the padding of
/// texels stays zero without further work.
struct ElementSteps {
    std::vector<ElementStep> steps;
    bool keeps_zero = true;

    [[nodiscard]] bool empty() const { return steps.empty(); }
};

} // namespace texelscope::codegen
