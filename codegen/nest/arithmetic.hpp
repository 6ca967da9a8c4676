#pragma once

#include "codegen/nest/loop_nest.hpp"

namespace texelscope::codegen {

/// What expressions take of a device, as Work counts it: of all numbers together.
struct Arithmetic {
    double operations = 0; ///< but for those of exponentials
    double exponentials = 0;
    double numbers = 1; ///< that the result has

    /// Operations that follow on each other to make one number of the result; an exponential counts
    /// as `operations_of_exponential`.
    [[nodiscard]] int chain() const;
    static constexpr int operations_of_exponential = 4; ///< of those that no other overlaps
};

/// Of an expression in a nest. Functions cost what their rows say; a quotient what it has on the
/// Adreno 740, 12, unless it is by a constant, which compilers make a product; an operation one; a
/// modifier nothing, except where it is all that there is. Where a device computes in half
/// precision, conversions cost one, too. What moves numbers alone costs nothing, nor does a choice
/// that is made as the kernel is compiled.
[[nodiscard]] Arithmetic arithmetic_of(const NumberExpr& expression, const LoopNest& nest);
/// With what an assignment joins to what is there.
[[nodiscard]] Arithmetic arithmetic_of(const NestAssign& assign, const LoopNest& nest);

/// Whether an expression only puts several values side by side: whoever needs the whole needs its
/// parts, and no instruction makes it.
[[nodiscard]] bool joins_values(const NumberExpr& expression);

} // namespace texelscope::codegen
