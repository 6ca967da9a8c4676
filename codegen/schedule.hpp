#pragma once

#include "codegen/access_pattern.hpp"
#include "traces/launch.hpp"

#include <array>
#include <string>
#include <vector>

namespace texelscope {

/// How to compute an operator: an immutable value that prints and parses as
/// "A=block4,column;T=4x4;W=8x8;G=16x8x1".
struct Schedule {
    /// A: one pattern for each input, in input order.
    std::vector<AccessPattern> patterns;
    /// T: outputs of one work-item along each output dimension, x (innermost) first; fully unrolled.
    std::vector<std::int32_t> tile;
    /// W: shape of the block of work-items whose numbers are made consecutive, x first. It must tile the work-group
    /// (wx divides bx, wy divides by): the remapping is done inside the kernel.
    std::array<std::int32_t, 2> warp{};
    /// G: work-group size, x first.
    Dim3 group{};

    bool operator==(const Schedule&) const = default;
};

/// Parts may come in any order; each of A, T, G exactly once. W may be left out: then it is the natural shape, that is
/// G's first two sizes. A missing third size of G is 1. Throws bad_input, naming the part, for text that is malformed
/// or a number below 1.
[[nodiscard]] Schedule parse_schedule(const std::string& text);
[[nodiscard]] std::string to_string(const Schedule& schedule);

} // namespace texelscope
