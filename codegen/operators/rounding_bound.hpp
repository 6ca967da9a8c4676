#pragma once

#include "codegen/operators/operator.hpp"

namespace texelscope::codegen {

/// How far an output may be from the reference by rounding alone: `relative` times (magnitude +
/// `smallest`).
struct RoundingBound {
    double relative = 0;
    double smallest = 0; ///< sizes below it are rounded as if they had it
};

/// Of a kernel's output, stored and computed as it is. In half precision it holds where every sum
/// stays below 65,504; inputs below 2^-14 may count as zero, which it allows for where the others
/// are at most 1.
[[nodiscard]] RoundingBound rounding_bound(const Operator& op, const LoopNest& nest,
                                           Precision arithmetic);

} // namespace texelscope::codegen
