#pragma once

#include "codegen/nest/loop_nest.hpp"

namespace texelscope::codegen {

/// The arithmetic that an expression costs, in the units of Work (traces/launch.hpp), for all
/// numbers of its result together.
struct Arithmetic {
    double operations = 0; ///< operations other than exponentials
    double exponentials = 0;
    double numbers = 1; ///< numbers in the result (4 for a texel)

    /// Length of the dependence chain that makes one number of the result, in operations. An
    /// exponential counts as `operations_of_exponential`.
    [[nodiscard]] int chain() const;
    /// The part of its operations that nothing else overlaps.
    static constexpr int operations_of_exponential = 4;
};

/// What an expression of a nest costs. An operation costs one. A function costs what its row in
/// function_table says. A quotient costs 12, what it takes on the Adreno 740, unless the divisor is
/// a constant: compilers turn that into a product. A modifier (NumberFunction::modifies) costs
/// nothing, except where it is the whole expression. A conversion costs one in a nest with
/// half_sums, whatever the device. A comparison of vectors and the pick of a component cost three.
/// Moving numbers costs nothing, and neither does a choice that is made while the kernel is
/// compiled.
[[nodiscard]] Arithmetic arithmetic_of(const NumberExpr& expression, const LoopNest& nest);
/// The same for an assignment, including the operation that joins the value with the target.
[[nodiscard]] Arithmetic arithmetic_of(const NestAssign& assign, const LoopNest& nest);

/// Whether an expression only puts several values side by side. No instruction does that: whoever
/// uses the result uses the parts in their registers.
[[nodiscard]] bool joins_values(const NumberExpr& expression);

} // namespace texelscope::codegen
