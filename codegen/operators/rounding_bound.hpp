#pragma once

#include "codegen/nest/half_sums.hpp"
#include "codegen/operators/operator.hpp"

namespace texelscope::codegen {

/// The largest error of an output by rounding alone: `relative` times (magnitude + `smallest`), see
/// Operator::magnitude.
struct RoundingBound {
    double relative = 0;
    /// Numbers smaller than this have the absolute rounding error of this size.
    double smallest = 0;
};

/// Of a kernel's output, stored and computed as it is. In half precision it holds where every sum
/// stays below 65,504; inputs below 2^-14 may count as zero, which it allows for where the others
/// are at most 1.
[[nodiscard]] RoundingBound rounding_bound(const Operator& op, const LoopNest& nest,
                                           Precision arithmetic);

} // namespace texelscope::codegen
