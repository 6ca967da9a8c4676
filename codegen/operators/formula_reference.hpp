#pragma once

#include "codegen/operators/formula.hpp"

#include <string>
#include <vector>

namespace texelscope::codegen {

// What a formula computes, straight from its trees: slow and obvious, in double precision, and
// independent of loop nests. In: a sized formula (formula_sizes.hpp) and the elements of its
// tensors, one vector for each access, row-major. An element outside of its tensor counts as zero
// in a sum; terms with one are left out of products, maxima and minima.

struct FormulaValues {
    std::vector<double> values;
    /// What rounding errors are proportional to: the result with every element and every difference
    /// taken as its size; behind a function, how far it moves when its argument is off by
    /// `tolerance` times its size, over `tolerance`.
    std::vector<double> magnitudes;
};

/// `tolerance`: of float32 sums with as many roundings (sum_tolerance()); 0: without magnitudes.
[[nodiscard]] FormulaValues formula_values(const Formula& sized,
                                           const std::vector<std::vector<float>>& inputs,
                                           double tolerance);

/// How many roundings a float32 kernel makes on the way to an output, at most. A function counts 32
/// (16 units in the last place, OpenCL's bound for pow, which is its widest here).
[[nodiscard]] double formula_roundings(const Formula& sized);

/// The same as C99, see Operator::reference_c.
[[nodiscard]] std::string formula_reference_c(const Formula& sized, double tolerance);

} // namespace texelscope::codegen
