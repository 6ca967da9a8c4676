#pragma once

#include "traces/index/index_expr.hpp"

#include <cstdint>
#include <optional>

namespace texelscope::traces {

/// How an expression e moves along a variable v: e(v + period) - e(v) = distance, for every value
/// of v and of the other variables.
struct UniformShift {
    std::int64_t period = 1;
    std::int64_t distance = 0;
};

/// The uniform shift of an expression along the variable of that slot. The period is the smallest
/// one that the form of the expression shows: a floor-division or remainder by d has a uniform
/// shift as soon as its operand moves by a multiple of d. nullopt where the period would exceed
/// `longest`.
[[nodiscard]] std::optional<UniformShift> uniform_shift(const IndexExpr& e, int slot,
                                                        std::int64_t longest);

} // namespace texelscope::traces
